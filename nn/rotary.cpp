#include "nn/rotary.h"

#include <algorithm>

#include "tensor/views.h"

namespace heed {

Tensor RotaryTable::turns(long T, long offset, DType dtype) {
  constexpr long kAhead = 256;
  const long end = offset + T, size = table_.defined() && table_.dtype() == dtype ? table_.size(0) : 0;
  if (end > size) table_ = rotary_turns(std::max(end, size + kAhead), D_, 0, 10000, dtype);
  return slice(table_, 0, offset, end);
}

}  // namespace heed
