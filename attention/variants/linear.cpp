// Linear attention: the weight of a pair is a product of features, <phi(q), phi(k)>, in place of the exponential of
// <q, k>. Then the sum over keys does not depend on the query, and is taken once for all queries:
//
//   o_i = phi(q_i) S / (phi(q_i) z + epsilon),   S = sum_j phi(k_j) v_j^T,   z = sum_j phi(k_j)     phi(x) = elu(x) + 1
//
// Under a causal mask the sums are those over j <= i: a recurrent network whose state is S and z, trained in parallel
// by chunks (attention/engines/linear_engine.h). Time O(n D^2), memory O(n D). Decoding keeps D (D + 1) numbers per
// head however long the text is, and a token costs the same at position 16,384 as at 64.
//
// It pays off when n is several times D, and most of all for long texts written token by token. It loses where a query
// must pick one key out of thousands: S has D^2 numbers for everything that ever was, and weights of a product are
// never as sharp as those of an exponential. Queries cannot leave out single keys, so masks of windows, ranges and
// pairs are refused; segments are honoured (sums start anew with a document), and padding. Dropout has no weights to
// drop. Positions are learned or sinusoid ones: after phi a rotation no longer tells distances.
// (Transformers are RNNs: Katharopoulos et al., 2020.)
#include "attention/engines/linear_engine.h"
#include "attention/heads.h"
#include "attention/multi_head.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "nn/mixing/registry.h"
#include "tensor/copy.h"
#include "tensor/ops/compare.h"

namespace heed {
namespace {

constexpr double kEpsilon = 1e-6;

// What the tokens so far add up to: O(1) however many they are.
class SumsState : public State {
 public:
  using State::State;
  void reset() override { State::reset(), sums = LinearState(); }
  Tensors tensors() const override { return sums.sums.defined() ? Tensors{{"sums", sums.sums}} : Tensors(); }

  LinearState sums;

 protected:
  void take(const Tensors& tensors) override {
    const Tensor given = named(tensors, "sums");
    if (given.defined()) sums.sums = clone(given);
  }
  void adopt(const Tensors& tensors) override { sums.sums = named(tensors, "sums"); }
};

class LinearCore : public Core {
 public:
  LinearCore(const MixerOptions&, const std::string& features) : features_(features) {}

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override {
    SumsState* state = heads.state ? &State::of<SumsState>(*heads.state, *this) : nullptr;
    if (state && state->has_source()) return linear_attention_from(phi(heads.q), state->sums, kEpsilon);
    const LinearInputs in{phi(heads.q), phi(heads.k), heads.v};
    const LinearOptions options{
        .causal = mask.causal, .lengths = mask.lengths, .segments = mask.segments, .epsilon = kEpsilon, .ctx = &ctx};
    if (!heads.state) return linear_attention(in, options);
    if (heads.cross) {
      state->sums = linear_state_of(in.k.value(), in.v.value(), mask.lengths);
      state->source_is_kept();
      return linear_attention(in, options);
    }
    state->sums.length = state->length();
    return linear_attention(in, options, &state->sums);
  }

  Tensor weights(const Heads& heads, const Mask& mask, Context&) override {
    const long B = heads.q.size(0), H = heads.q.size(1), T = heads.q.size(2), S = heads.k.size(2);
    const Variable products = matmul(phi(heads.q), transpose(for_all_heads(phi(heads.k), H)));
    const Variable seen = masked_fill(Variable(to(products.value(), cpu)), logical_not(mask.dense(B, H, T, S)), 0);
    return (seen / (sum(seen, {-1}, true) + kEpsilon)).value();
  }

  Capabilities can() const override {
    return {.causal = true,
            .padding = true,
            .segments = true,
            .strictly_causal = true,
            .length_free = true,
            .cross = true,
            .decode = true,
            .any_cut = true,
            .bounded = true,
            .because = "keys are added up before a query asks, so that no query can leave one out"};
  }

  std::unique_ptr<State> start(long batch, long max_length) override {
    return std::make_unique<SumsState>(batch, max_length, *this);
  }

 private:
  Variable phi(const Variable& x) const {
    if (features_ == "elu") return elu_features(x);
    if (features_ == "relu") return relu_features(x);
    const Variable positive = relu(x);
    return positive * positive;
  }

  std::string features_;
};

std::vector<VariantOption> options() {
  return {{.name = "features",
           .help = "phi: elu(x) + 1, relu(x) + 0.001, or relu(x)^2",
           .standard = "elu",
           .choices = {"elu", "relu", "squared-relu"}}};
}

const RegisteredVariant linear{
    {.name = "linear",
     .summary = "weights are products of features, so that keys are added up once for all queries",
     .formula = "o_i = phi(q_i) sum_j phi(k_j) v_j^T / (phi(q_i) sum_j phi(k_j)), phi(x) = elu(x) + 1",
     .time = {Growth::linear},
     .memory = {Growth::linear},
     .source = "Katharopoulos et al., 2020",
     .year = 2020,
     .when = "long texts, above all written token by token: the state does not grow",
     .when_not = "a query must find one key among thousands: the sums hold D^2 numbers for all of them",
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) {
       return multi_head<LinearCore>(mixer, options.word("features"));
     }}};

}  // namespace
}  // namespace heed
