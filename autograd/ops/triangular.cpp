#include "autograd/ops/triangular.h"

namespace heed {

Variable tril(const Variable& x, long diagonal) {
  return record("tril", tril(x.value(), diagonal), {x}, [=](const Tensor& dy) { return tril(dy, diagonal); });
}

Variable triu(const Variable& x, long diagonal) {
  return record("triu", triu(x.value(), diagonal), {x}, [=](const Tensor& dy) { return triu(dy, diagonal); });
}

}  // namespace heed
