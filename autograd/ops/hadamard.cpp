#include "autograd/ops/hadamard.h"

namespace heed {

// y = H x with H symmetric: dx = H dy
Variable walsh_hadamard(const Variable& x) {
  return record("walsh_hadamard", walsh_hadamard(x.value()), {x}, [](const Tensor& dy) { return walsh_hadamard(dy); });
}

}  // namespace heed
