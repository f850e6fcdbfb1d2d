#include "tensor/ops/flat_step.h"

#include "system/error.h"

namespace heed {

void check_flat(const char* op, const Tensor& w, const std::vector<std::pair<const char*, const Tensor*>>& others) {
  const auto check = [&](const char* name, const Tensor& x) {
    check_same_kind(op, w, x);
    HEED_CHECK(w.shape() == x.shape(), op, "w is ", w.shape(), " and ", name, " is ", x.shape(),
               "; all must have one shape");
    HEED_CHECK(x.is_contiguous(), op, name, " is ", x.shape(), " with strides ", x.strides(),
               "; it must be row-major, because the step runs over flat arrays in place");
  };
  check("w", w);
  for (const auto& [name, x] : others) check(name, *x);
}

}  // namespace heed
