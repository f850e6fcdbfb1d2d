// longformer: a token sees those at most `window` steps of `dilation` away and all global tokens; global ones see
// everything, by queries, keys and values of their own. Global are the first `globals` and those listed in `at`.
#include <algorithm>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

bool is_global(const OracleCase& c, long p) {
  const std::vector<long> at = c.options.numbers("at");
  return p < c.options.number("globals") || std::find(at.begin(), at.end(), p) != at.end();
}

Sees sees(const OracleCase& c) {
  const long window = c.options.numbers("window")[0], dilation = c.options.numbers("dilation")[0];
  const long dilated = c.options.number("dilated"), heads = c.sizes.heads;
  std::vector<bool> global;
  for (long p = 0; p < 1000; p++) global.push_back(is_global(c, p));
  return [=](const OraclePair& pair) {
    if (global[size_t(pair.i)] || global[size_t(pair.j)]) return true;
    const long step = dilated == 0 || pair.h >= heads - dilated ? dilation : 1;
    const long distance = std::labs(pair.i - pair.j);
    return distance % step == 0 && distance / step <= window;
  };
}

// Both attentions over all tokens, and of each the rows that count
DenseAttention dense(const OracleCase& c, const Variable& x, const Variable&) {
  OracleCase other = c;
  other.parameters.erase("in.weight"), other.parameters.erase("in.bias");
  for (const char* name : {"weight", "bias"})
    if (const Variable own = c.parameter(std::string("core.global.") + name); own.defined())
      other.parameters.emplace(std::string("in.") + name, own);
  const OracleHeads local = dense_heads(c, x, {});
  const bool two = other.parameter("in.weight").defined();
  const OracleHeads global = two ? dense_heads(other, x, {}) : local;
  const long T = x.size(1);
  const Tensor seen = dense_visible(c.mask, sees(c), {x.size(0), c.sizes.heads, T, T});
  std::vector<double> rows;
  for (long i = 0; i < T; i++) rows.push_back(is_global(c, i) ? 1 : 0);
  const Variable chosen(cast(from_vector(rows, {T, 1}), c.dtype));
  const Variable of_global = dense_softmax(dense_products(global), seen) * chosen;
  const Variable of_local = dense_softmax(dense_products(local), seen) * (1 - chosen);
  return {dense_out(c, matmul(of_global, global.v) + matmul(of_local, local.v), T, false), of_global + of_local};
}

const RegisteredOracle longformer{
    {.name = "longformer",
     .specs = {"longformer:window=3,globals=1", "longformer:window=5,at=2/40,causal_global=yes", "longformer:window=0",
               "longformer:window=2,dilation=3", "longformer:window=6,dilation=2,dilated=2",
               "longformer:window=4,dilation=3,globals=2,causal_global=yes",
               "longformer:window=4,dilation=5,dilated=2,at=0/33/69,marked=yes",
               "longformer:window=0,globals=3,at=64,causal_global=yes",
               "longformer:window=70,dilation=2,dilated=2,globals=1,causal_global=yes"},
     .sees = sees,
     .dense = dense,
     .other_sizes = {{.C = 12, .heads = 3, .key_heads = 3},
                     {.C = 6, .heads = 2, .bias = false},
                     {.C = 7, .heads = 6, .key_heads = 3, .head_width = 2},
                     {.C = 4, .heads = 6, .key_heads = 3, .head_width = 1, .value_width = 8}},
     .equal_full = {{"longformer:window=127", "full", 128},
                    {"longformer:window=3,dilation=2", "window:left=3,right=3,dilation=2"}},
     .public_errors = {
         {"the paper's own code, mode no_overlap", "leaves zero keys visible beside the first and last block",
          "values_are_those_of_the_dense_computation"},
         {"a public benchmark", "gives a window of even width one more key on the right",
          "values_are_those_of_the_dense_computation"}}}};

}  // namespace
