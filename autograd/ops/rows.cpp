#include "autograd/ops/rows.h"

#include "tensor/ops/indices.h"

namespace heed {

// y[p] = x[index[p]]: dx[t] = sum of dy[p] over index[p] = t
Variable rows_at(const Variable& x, const Tensor& given) {
  const Tensor index =
      moved_once(x.value(), given, [&](Device device) { return checked_rows("rows_at", given, x.size(-2), device); });
  return record("rows_at", rows_at(x.value(), index), {x},
                [index = Saved(index), T = x.size(-2)](const Tensor& dy) { return rows_added(dy, index, T); });
}

// x[t] = sum of y[p] over index[p] = t: dy[p] = dx[index[p]]
Variable rows_added(const Variable& y, const Tensor& given, long T) {
  const Tensor index =
      moved_once(y.value(), given, [&](Device device) { return checked_rows("rows_added", given, T, device); });
  return record("rows_added", rows_added(y.value(), index, T), {y},
                [index = Saved(index)](const Tensor& dx) { return rows_at(dx, index); });
}

}  // namespace heed
