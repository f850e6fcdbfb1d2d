// A widening Mixer: one node beside the tokens, which hears all of them and is heard by all.
//
//   before the stack:   hub = mean_j x_j
//   in every layer:     hub' = Wo mean_j(W x_j) + bo,   y_i = Wo tanh(W x_i + W hub) + bo      W with its bias
//   behind the stack:   the tokens alone
//
// Two steps connect any two tokens, in time O(n). widen() and narrow() are called once around the whole stack, so that
// the hub lives through all layers. In the tests only, as an example.
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "nn/linear.h"
#include "nn/mixing/padding.h"
#include "tensor/create.h"
#include "tensor/ops/where.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

// The mean of the tokens that are no padding, (B, T, C) -> (B, 1, C); of none zeros.
Variable mean_of_tokens(const Variable& x, const Mask& mask) {
  const long B = x.size(0), T = x.size(1);
  if (T == 0) return zeros({B, 1, x.size(2)}, x.dtype(), x.value().device());
  if (!mask.lengths.defined()) return mean(x, {1}, true);
  const Tensor counts = clamp(reshape(cast(mask.lengths, x.dtype()), {B, 1, 1}), 1, double(T));
  return sum(zero_padded_rows(x, mask.lengths, T), {1}, true) / Variable(to(counts, x.value().device()));
}

class Hub : public Mixer {
 public:
  explicit Hub(const MixerOptions& s)
      : in_(child<Linear>("in", s.C, s.C, Linear::Options{.bias = s.bias, .weight = s.in})),
        out_(child<Linear>("out", s.C, s.C, Linear::Options{.bias = s.bias, .weight = s.out})) {}

  Capabilities can() const override {
    return {.padding = true, .length_free = true, .widens = true, .because = "its hub hears the whole sequence"};
  }
  Variable widen(const Variable& x, const MixIn& in, Context&) override {
    return concatenate({mean_of_tokens(x, in.mask), x}, 1);
  }
  Variable narrow(const Variable& y, long T, const MixIn& in, Context&) override {
    return zero_padded_rows(slice(y, 1, 1, T + 1), in.mask.lengths, T);
  }

 protected:
  // x (B, 1 + T, C): the hub, then the tokens. The mask speaks of tokens.
  Variable mix(const Variable& x, const MixIn& in, Context& ctx) override {
    const std::vector<Variable> nodes = split(in_.forward(x, ctx), {1, x.size(1) - 1}, 1);
    const Variable hub = mean_of_tokens(nodes[1], in.mask), tokens = tanh(nodes[1] + nodes[0]);
    return out_.forward(concatenate({hub, tokens}, 1), ctx);
  }

 private:
  Linear &in_, &out_;
};

const RegisteredVariant variant{
    {.name = "hub",
     .summary = "one node hears all tokens and is heard by all",
     .formula = "y_i = tanh(W x_i + W hub), hub = mean_j x_j",
     .time = {Growth::linear},
     .memory = {Growth::linear},
     .source = "this test, 2026",
     .year = 2026,
     .when = "as an example of a mixer that adds nodes",
     .when_not = "tokens must be told apart: one vector stands for all of them",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return std::make_unique<Hub>(mixer); }}};

// One layer, seen from outside: the mean as a matrix, then token by token.
DenseAttention dense(const OracleCase& c, const Variable& x, const Variable&) {
  const long B = x.size(0), T = x.size(1);
  if (T == 0) return {x};
  std::vector<double> share;
  for (long b = 0; b < B; b++) {
    const long length = c.mask.lengths.defined() ? c.mask.lengths.to_vector<int64_t>()[size_t(b)] : T;
    for (long j = 0; j < T; j++) share.push_back(j < length ? 1 / double(length) : 0);
  }
  const Variable hub = matmul(Variable(cast(from_vector(share, {B, 1, T}), c.dtype)), x);
  const Variable w = c.parameter("in.weight"), b = c.parameter("in.bias");
  const Variable heard = tanh(linear(x, w, b) + linear(hub, w, b));
  return {zero_padding(c, linear(heard, c.parameter("out.weight"), c.parameter("out.bias")), T)};
}

const RegisteredOracle oracle{{.name = "hub", .dense = dense, .example = true}};

}  // namespace
