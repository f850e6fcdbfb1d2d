#include "attention/keep.h"

namespace heed {

Tensor attention_keep(const Shape& shape, const RandomKey& key, double dropout) {
  return attention_keep(shape, key, dropout, 0, shape[2]);
}

Tensor attention_keep(const Shape& shape, const RandomKey& key, double dropout, long begin, long end) {
  const long B = shape[0], H = shape[1], T = shape[2], S = shape[3], threshold = keep_threshold(dropout);
  Tensor keep = Tensor::empty({B, H, end - begin, S}, boolean);
  bool* out = keep.mutable_data<bool>();
  for (long b = 0; b < B; b++)
    for (long h = 0; h < H; h++)
      for (long i = begin; i < end; i++)
        for (long j = 0; j < S; j++) {
          const Philox4 draw = philox(
              {key.site + uint32_t(h) * 0x9E3779B9u, key.sample + uint32_t(b), uint32_t(i + S - T), uint32_t(j / 8)},
              key.key());
          *out++ = long(draw[size_t(j % 8 / 2)] >> (j % 2 * 16) & 0xffff) >= threshold;
        }
  return keep;
}

}  // namespace heed
