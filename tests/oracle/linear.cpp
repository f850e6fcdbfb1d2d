// linear: weights are products of features, divided by their sum over the keys that are seen plus 1e-6.
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

// x + 1 for x > 0 and exp(x) otherwise; relu(x) + 0.001; relu(x)^2
Variable features(const OracleCase& c, const Variable& x) {
  const std::string& kind = c.options.word("features");
  const Variable positive = relu(x);
  if (kind == "relu") return positive + 1e-3;
  if (kind == "squared-relu") return positive * positive;
  const Variable above(cast(greater(x.value(), scalar(0, x.dtype())), x.dtype()));
  return above * (x + 1.0) + (1.0 - above) * exp(x);
}

DenseAttention dense(const OracleCase& c, const Variable& x, const Variable& source) {
  const OracleHeads heads = dense_heads(c, x, source);
  const Shape shape{x.size(0), c.sizes.heads, x.size(1), heads.k.size(2)};
  const Variable seen(cast(dense_visible(c.mask, nullptr, shape), x.dtype()));
  const Variable products = matmul(features(c, heads.q), transpose(features(c, heads.k))) * seen;
  const Variable weights = products / (sum(products, {-1}, true) + 1e-6);
  return {dense_out(c, matmul(weights, heads.v), shape[3], source.defined()), weights};
}

const RegisteredOracle linear{{.name = "linear",
                               .specs = {"linear:features=relu", "linear:features=squared-relu"},
                               .dense = dense,
                               .with_kinks = {"linear:features=relu", "linear:features=squared-relu"}}};

}  // namespace
