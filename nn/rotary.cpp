#include "nn/rotary.h"

#include <algorithm>

#include "tensor/views.h"

namespace heed {

Tensor RotaryTable::rows(long T, long offset, DType dtype, Device device) {
  constexpr long kLeast = 256;
  const bool usable = table_.defined() && table_.dtype() == dtype && table_.device() == device;
  const long end = offset + T, size = usable ? table_.size(0) : 0;
  if (!usable || end > size)
    table_ = rotary_table(std::max({end, 2 * size, kLeast}), D_, 0, 10000, dtype, device);  // twice: seldom again
  return slice(table_, 0, offset, end);
}

}  // namespace heed
