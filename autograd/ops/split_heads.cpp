#include "autograd/ops/split_heads.h"

#include <algorithm>

#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr bool kInterleaved = false;  // channels i and i + width / 2 are a pair: whole vectors at a time

void check_parts(const Tensor& y, const std::vector<HeadPart>& parts) {
  long channels = 0;
  for (const HeadPart& part : parts) channels += part.heads * part.width;
  HEED_CHECK(!parts.empty() && y.dims() == 3 && y.size(2) == channels, "split_heads", "y is ", y.shape(), " and ",
             parts.size(), " parts have ", channels, " channels; y must be (B, T, channels)");
}

// (B, heads, T, width), a view of channels from `first` on of y (B, T, channels)
Tensor heads_of(const Tensor& y, long first, const HeadPart& part) {
  const Strides& s = y.strides();
  return Tensor::view(y, {y.size(0), part.heads, y.size(1), part.width}, {s[0], part.width, s[1], 1},
                      y.offset() + first);
}

// The parts of y (B, T, channels)
std::vector<Tensor> parts_of(const Tensor& y, const std::vector<HeadPart>& parts) {
  std::vector<Tensor> views;
  for (long i = 0, first = 0; i < long(parts.size()); first += parts[i].heads * parts[i].width, i++)
    views.push_back(heads_of(y, first, parts[i]));
  return views;
}

// all (B, T, channels) with its parts written: the given ones, rotated where they are to be, zeros for undefined ones
Tensor with_parts(Tensor all, const std::vector<Tensor>& given, const std::vector<HeadPart>& parts, Rotate way) {
  const std::vector<Tensor> to = parts_of(all, parts);
  for (size_t i = 0; i < parts.size(); i++)
    if (!given[i].defined())
      fill(to[i], 0);
    else if (parts[i].table.defined())
      rotary_into(to[i], given[i], parts[i].table, way, kInterleaved);
    else
      copy_into(to[i], given[i]);
  return all;
}

}  // namespace

// All parts lie in one tensor, and so do their gradients: nothing is padded and added up, and y is not kept beside what
// was rotated.
std::vector<Variable> split_heads(const Variable& y, const std::vector<HeadPart>& parts) {
  check_parts(y.value(), parts);
  Tensor dense = contiguous(y.value());
  const auto like_y = [shape = y.shape(), dtype = y.dtype(), device = dense.device()] {
    return Tensor::empty(shape, dtype, device);
  };
  const bool rotates = std::any_of(parts.begin(), parts.end(), [](const HeadPart& p) { return p.table.defined(); });
  if (rotates) dense = with_parts(like_y(), parts_of(dense, parts), parts, Rotate::forwards);
  return record_many("split_heads", parts_of(dense, parts), {y}, [parts, like_y](const std::vector<Tensor>& dys) {
    return Grads(with_parts(like_y(), dys, parts, Rotate::backwards));
  });
}

}  // namespace heed
