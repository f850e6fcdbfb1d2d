#include "autograd/ops/rows.h"

namespace heed {

// y[p] = x[index[p]]: dx[t] = sum of dy[p] over index[p] = t
Variable rows_at(const Variable& x, const Tensor& index) {
  return record("rows_at", rows_at(x.value(), index), {x},
                [index = Saved(index), T = x.size(-2)](const Tensor& dy) { return rows_added(dy, index, T); });
}

// x[t] = sum of y[p] over index[p] = t: dy[p] = dx[index[p]]
Variable rows_added(const Variable& y, const Tensor& index, long T) {
  return record("rows_added", rows_added(y.value(), index, T), {y},
                [index = Saved(index)](const Tensor& dx) { return rows_at(dx, index); });
}

}  // namespace heed
