#include "nn/losses.h"

#include <algorithm>
#include <limits>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/where.h"
#include "tensor/ops/compare.h"

namespace heed {

Variable mse(const Variable& x, const Variable& y) {
  check_same_kind("mse", x.value(), y.value());
  HEED_CHECK(x.shape() == y.shape(), "mse", "x is ", x.shape(), " and y is ", y.shape(),
             "; they must be equal (a loss does not broadcast)");
  const Variable difference = x - y;
  return sum(difference * difference) / double(std::max(x.numel(), 1L));
}

Variable kl_divergence(const Variable& log_p, const Variable& log_q) {
  check_same_kind("kl_divergence", log_p.value(), log_q.value());
  HEED_CHECK(log_p.shape() == log_q.shape() && log_p.dims() >= 1, "kl_divergence", "log_p is ", log_p.shape(),
             " and log_q is ", log_q.shape(), "; both must be (..., V)");
  // Where p is 0 both logarithms are set to 0: the term is 1 * (0 - 0) and no gradient (or NaN) comes through.
  const Tensor never = equal(log_p.value(), -std::numeric_limits<double>::infinity());
  const Variable p = masked_fill(log_p, never, 0), q = masked_fill(log_q, never, 0);
  const long rows = log_p.size(-1) ? log_p.numel() / log_p.size(-1) : 0;
  return sum(exp(p) * (p - q)) / double(std::max(rows, 1L));
}

}  // namespace heed
