#include "attention/engines/keep.h"

namespace heed {

RandomKey key_from_head(const RandomKey& key, long first_head) {
  RandomKey own = key;
  own.site += kernels::head_site(first_head);
  return own;
}

Tensor attention_keep(const Shape& shape, const RandomKey& key, double dropout) {
  return attention_keep({shape, 0, shape[2]}, key, dropout, cpu);
}

Tensor attention_keep(const KeepRows& of, const RandomKey& key, double dropout, Device device) {
  const Shape& s = of.B_H_T_S;
  const Tensor keep = Tensor::empty({s[0], s[1], of.end - of.begin, s[3]}, boolean, device);
  kernels::attention_keep(device)(keep.mutable_data<bool>(),
                                  {s[0], s[1], s[2], s[3], of.begin, of.end - of.begin, key, keep_threshold(dropout)});
  return keep;
}

}  // namespace heed
