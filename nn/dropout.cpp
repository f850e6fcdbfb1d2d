#include "nn/dropout.h"

#include "autograd/ops/dropout.h"

namespace heed {

Dropout::Dropout(double p) : p(p) { HEED_CHECK(p >= 0 && p < 1, "Dropout", "p is ", p, "; the rule is 0 <= p < 1"); }

Variable Dropout::forward(const Variable& x, Context& ctx) {
  if (!ctx.train || p == 0) return x;
  return dropout(x, p, ctx.random(*this));
}

}  // namespace heed
