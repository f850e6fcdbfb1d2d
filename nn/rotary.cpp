#include "nn/rotary.h"

#include <algorithm>

#include "tensor/views.h"

namespace heed {

Tensor RotaryTable::rows(long T, long offset, DType dtype, Device device) {
  constexpr long kLeast = 256, kMost = 8192;  // positions; kMost with 64 channels are 2 MB of f32
  const bool usable = table_.defined() && table_.dtype() == dtype && table_.device() == device;
  const long end = offset + T, size = usable ? table_.size(0) : 0;
  if (!usable || offset < begin_ || end > begin_ + size) {
    const long begin = end <= kMost ? 0 : offset, ahead = std::clamp(2 * size, kLeast, kMost);  // twice: seldom again
    table_ = rotary_table(std::max(end - begin, ahead), D_, begin, 10000, dtype, device);
    begin_ = begin;
  }
  return slice(table_, 0, offset - begin_, end - begin_);
}

}  // namespace heed
