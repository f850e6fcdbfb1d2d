#include "nn/rotary.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/embedding.h"
#include "tensor/views.h"

namespace heed {

// The table has the positions begin .. end.
void RotaryTable::cover(long begin, long end, DType dtype, Device device) {
  constexpr long kLeast = 256, kMost = 8192;  // positions; kMost with 64 channels are 2 MB of f32
  const bool usable = table_.defined() && table_.dtype() == dtype && table_.device() == device;
  const long size = usable ? table_.size(0) : 0;
  if (usable && begin >= begin_ && end <= begin_ + size) return;
  begin_ = end <= kMost ? 0 : begin;
  const long ahead = std::clamp(2 * size, kLeast, kMost);  // twice: seldom again
  table_ = rotary_table(std::max(end - begin_, ahead), D_, begin_, 10000, dtype, device);
}

Tensor RotaryTable::rows(long T, long offset, DType dtype, Device device) {
  cover(offset, offset + T, dtype, device);
  return slice(table_, 0, offset - begin_, offset + T - begin_);
}

Tensor RotaryTable::at(const Tensor& positions, DType dtype, Device device) {
  std::vector<int64_t> places = positions.to_vector<int64_t>();
  const long B = positions.size(0), T = positions.size(1);
  const Shape shape = B == 1 ? Shape{T, 2, D_ / 2} : Shape{B, T, 2, D_ / 2};
  if (places.empty()) return Tensor::empty(shape, dtype, device);
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  HEED_CHECK(*least >= 0, "rotary", "position ", *least, " was given; positions begin at 0");
  cover(*least, *most + 1, dtype, device);
  for (int64_t& place : places) place -= begin_;
  const Tensor ids = from_vector(places, {long(places.size())});
  return reshape(embedding(reshape(table_, {table_.size(0), D_}), ids), shape);
}

}  // namespace heed
