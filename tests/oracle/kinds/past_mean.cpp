// A Mixer of its own, with a State of O(1): every token hears the mean of all tokens up to it.
//
//   m_t = 1 / (t + 1) sum_(j <= t) (W x_j + b),   y_t = Wo m_t + bo
//
// The smallest recurrent mixer. It can be said without queries and keys, so it is no Core: it owns its projections, and
// remembers the sum of what it has heard. In the tests only, as an example, and so that the property suite has one.
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/scan.h"
#include "autograd/ops/views.h"
#include "nn/linear.h"
#include "nn/mixing/padding.h"
#include "tensor/create.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

struct PastMeanState : State {
  using State::State;
  Tensor sum = {};  // (B, 1, C), of length() tokens; undefined: of none

  void reset() override { State::reset(), sum = {}; }
  Tensors tensors() const override { return sum.defined() ? Tensors{{"sum", sum}} : Tensors(); }
  void take(const Tensors& from) override { sum = contiguous_or_none(named(from, "sum")); }
};

class PastMean : public Mixer {
 public:
  explicit PastMean(const MixerOptions& s)
      : in_(child<Linear>("in", s.C, s.C, Linear::Options{.bias = s.bias, .weight = s.in})),
        out_(child<Linear>("out", s.C, s.C, Linear::Options{.bias = s.bias, .weight = s.out})) {}

  Capabilities can() const override {
    return {.causal = true,
            .padding = true,
            .strictly_causal = true,
            .length_free = true,
            .decode = true,
            .any_cut = true,
            .because = "it hears all of the past, always"};
  }
  std::unique_ptr<State> start(long batch, long max_length) override {
    return std::make_unique<PastMeanState>(batch, max_length, *this);
  }

 protected:
  Variable mix(const Variable& x, const MixIn& in, Context& ctx) override {
    const long B = x.size(0), T = x.size(1);
    PastMeanState* state = in.state ? &State::of<PastMeanState>(*in.state, *this) : nullptr;
    const long before = state ? state->length() : 0;
    if (state) state->check_room(B, T);  // all checks come before the state changes
    in.mask.check("past-mean", B, 1, T, before + T);

    Variable sums = cumsum(in_.forward(x, ctx), 1);
    if (state && state->sum.defined()) sums = sums + Variable(state->sum);
    if (state && T > 0) state->sum = clone(slice(sums.value(), 1, T - 1, T));
    if (state) state->advance(T);
    const Tensor counts = reshape(arange(T, x.dtype(), x.value().device()) + double(before + 1), {T, 1});
    return zero_padded_rows(out_.forward(sums / Variable(counts), ctx), in.mask.lengths, before + T);
  }

 private:
  Linear &in_, &out_;
};

const RegisteredVariant variant{
    {.name = "past-mean",
     .summary = "every token hears the mean of the past",
     .formula = "y_t = mean_(j <= t) W x_j",
     .time = {Growth::linear},
     .memory = {Growth::linear},
     .source = "this test, 2026",
     .year = 2026,
     .when = "as an example of a Mixer with a State",
     .when_not = "anything must be found again: all tokens count the same",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return std::make_unique<PastMean>(mixer); }}};

// As a matrix: row t has 1 / (t + 1) in its first t + 1 columns.
DenseAttention dense(const OracleCase& c, const Variable& x, const Variable&) {
  const long T = x.size(1);
  std::vector<double> mean(size_t(T * T), 0);
  for (long t = 0; t < T; t++)
    for (long j = 0; j <= t; j++) mean[size_t(t * T + j)] = 1 / double(t + 1);
  const Variable values = linear(x, c.parameter("in.weight"), c.parameter("in.bias"));
  const Variable heard = matmul(Variable(cast(from_vector(mean, {1, T, T}), c.dtype)), values);
  return {zero_padding(c, linear(heard, c.parameter("out.weight"), c.parameter("out.bias")), T)};
}

const RegisteredOracle oracle{{.name = "past-mean", .dense = dense, .example = true}};

}  // namespace
