// RotaryTable: cosines and sines of positions (tensor/ops/rotary.h), made ahead and kept: forward and backward of
// queries and keys use the same ones step after step, and decoding asks for one position at a time. Some thousand
// positions around those asked for last are kept, so that a text may go on for ever.
#pragma once

#include "tensor/ops/rotary.h"

namespace heed {

class RotaryTable {
 public:
  explicit RotaryTable(long D) : D_(D) {}                        // channels of a head, even
  Tensor rows(long T, long offset, DType dtype, Device device);  // (T, 2, D/2), of positions offset .. offset + T
  // Of i64 positions (B, T), none below 0: (B, T, 2, D/2), and (T, 2, D/2) of (1, T)
  Tensor at(const Tensor& positions, DType dtype, Device device);

 private:
  void cover(long begin, long end, DType dtype, Device device);

  long D_, begin_ = 0;
  Tensor table_;  // of positions begin_ .. begin_ + size
};

}  // namespace heed
