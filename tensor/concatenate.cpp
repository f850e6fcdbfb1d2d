#include "tensor/concatenate.h"

#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {

Tensor concatenate(const std::vector<Tensor>& parts, int axis) {
  HEED_CHECK(!parts.empty(), "concatenate", "no tensors were given; it needs at least one");
  check_defined("concatenate", parts[0]);
  axis = axis_of("concatenate", axis, parts[0].shape());
  Shape shape = parts[0].shape();
  shape[axis] = 0;
  for (size_t i = 0; i < parts.size(); i++) {
    check_same_kind("concatenate", parts[0], parts[i]);
    bool fits = parts[i].dims() == shape.dims();
    for (int d = 0; fits && d < shape.dims(); d++) fits = d == axis || parts[i].shape()[d] == shape[d];
    HEED_CHECK(fits, "concatenate", "part 0 is ", parts[0].shape(), " and part ", i, " is ", parts[i].shape(),
               "; all sizes but that of axis ", axis, " must be equal");
    HEED_CHECK(!__builtin_add_overflow(shape[axis], parts[i].shape()[axis], &shape[axis]), "concatenate",
               "the sizes along axis ", axis, " add up to more than 2^63 - 1");
  }
  Tensor y = Tensor::empty(shape, parts[0].dtype(), parts[0].device());
  long at = 0;
  for (const Tensor& part : parts) {
    copy_into(slice(y, axis, at, at + part.shape()[axis]), part);
    at += part.shape()[axis];
  }
  return y;
}

}  // namespace heed
