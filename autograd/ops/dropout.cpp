#include "autograd/ops/dropout.h"

namespace heed {

// y = x * m with the mask m of the key: dx = dy * m, drawn again.
Variable dropout(const Variable& x, double p, const RandomKey& key) {
  return record("dropout", dropout(x.value(), p, key), {x}, [p, key](const Tensor& dy) { return dropout(dy, p, key); });
}

}  // namespace heed
