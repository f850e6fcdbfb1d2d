// RotaryTable: cosines and sines of positions (tensor/rotary.h), made some hundred ahead and kept: all layers' queries and
// keys are turned by the same few, and decoding asks for one at a time.
#pragma once

#include "tensor/rotary.h"

namespace heed {

class RotaryTable {
 public:
  explicit RotaryTable(long D) : D_(D) {}          // channels of a head, even
  Tensor turns(long T, long offset, DType dtype);  // (T, 2, D/2), of positions offset .. offset + T

 private:
  long D_;
  Tensor table_;  // of positions 0 .. size
};

}  // namespace heed
