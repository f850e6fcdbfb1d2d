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

const RegisteredOracle linear{
    {.name = "linear",
     .specs = {"linear:features=relu", "linear:features=squared-relu"},
     .dense = dense,
     .with_kinks = {"linear:features=relu", "linear:features=squared-relu"},
     .public_errors = {{"a library of linear attentions",
                        "hides padding from the values but not from the denominator: valid rows change by up to 73%",
                        "a_padded_batch_equals_each_sample_alone"},
                       {"a public benchmark", "makes an exception for masks that it ignores, and forgets to raise it",
                        "every_part_of_a_mask_is_honoured_or_refused"},
                       {"a package for linear attention",
                        "has a causal form in which a bucket does not see itself, and the first one sees nothing",
                        "values_are_those_of_the_dense_computation"},
                       {"a library of linear attentions",
                        "gives one answer for a whole text and another chunk by chunk, as it is used online",
                        "chunks_of_any_size_equal_the_whole"}}}};

}  // namespace
