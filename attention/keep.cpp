#include "attention/keep.h"

#include <cstdlib>

#include "tensor/cpu/keep_draws.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// keep (rows, S) of one sample and head, from position `first` on; with more queries than keys it may be negative
void draw_rows(bool* keep, const RandomKey& key, uint32_t threshold, long first, long rows, long S) {
  const long tokens = rows + std::abs(first);  // more than any position, so that all rows are of one sample
  for_keep_draws({1, tokens, S, key, threshold}, first, first + rows, [&](long at, const uint16_t* draws, long n) {
    for (long i = 0; i < n; i++) keep[at - first * S + i] = draws[i] >= threshold;
  });
}

}  // namespace

RandomKey key_from_head(const RandomKey& key, long first_head) {
  RandomKey own = key;
  own.site += uint32_t(first_head) * 0x9E3779B9u;
  return own;
}

Tensor attention_keep(const Shape& shape, const RandomKey& key, double dropout) {
  return attention_keep(shape, key, dropout, 0, shape[2]);
}

Tensor attention_keep(const Shape& shape, const RandomKey& key, double dropout, long begin, long end) {
  const long B = shape[0], H = shape[1], T = shape[2], S = shape[3], rows = end - begin;
  const uint32_t threshold = keep_threshold(dropout);
  Tensor keep = Tensor::empty({B, H, rows, S}, boolean);
  bool* out = keep.mutable_data<bool>();
  parallel_for(B * H * rows, rows_grain(S, 2), [&](long row, long last) {
    for (long next; row < last; row = next) {  // head by head
      const long head = row / rows, b = head / H, h = head % H;
      next = std::min(last, (head + 1) * rows);
      RandomKey own = key_from_head(key, h);
      own.sample += uint32_t(b);
      draw_rows(out + row * S, own, threshold, begin + row % rows + S - T, next - row, S);
    }
  });
  return keep;
}

}  // namespace heed
