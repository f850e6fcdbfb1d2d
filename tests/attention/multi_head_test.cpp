// What MultiHead does for cores that want other projections than queries, keys and values; the property suite has it
// under every variant.
#include "attention/multi_head.h"

#include "attention/heads.h"
#include "attention/pattern_core.h"
#include "autograd/ops/matmul.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

const MixerOptions kSizes{.C = 8, .heads = 2, .key_heads = 2, .head_width = 4, .value_width = 3};

// Full attention whose keys are its queries.
struct SharedCore : PatternCore {
  explicit SharedCore(const MixerOptions& mixer) : PatternCore(mixer, {}) {}
  Projections projections() const override { return {.keys = false}; }
};

// Every token hears the mean of what it sees, without queries and keys.
struct MeanCore : Core {
  explicit MeanCore(const MixerOptions&) {}
  Projections projections() const override { return {.queries = false, .keys = false}; }
  Variable attend(const Heads& heads, const Mask& mask, Context&) override {
    BOOST_TEST(!heads.q.defined());
    BOOST_TEST(!heads.k.defined());
    const long B = heads.v.size(0), H = heads.v.size(1), T = heads.x->size(1), S = heads.v.size(2);
    const Tensor seen = cast(mask.dense(B, H, T, S), heads.v.dtype());
    return matmul(Variable(seen / sum(seen, {-1}, true)), heads.v);
  }
  Capabilities can() const override {
    Capabilities can = every_mask();
    can.drops = false;
    return can;
  }
};

template <class C> std::unique_ptr<Mixer> made(const MixerOptions& sizes = kSizes) {
  auto mixer = multi_head<C>(sizes);
  mixer->cast_parameters(f64);
  return mixer;
}

Tensor parameter(Mixer& mixer, const std::string& path) {
  for (Parameter* p : mixer.parameters())
    if (p->path == path) return p->value.value();
  return {};
}

// Chunks of 3, 1 and 5 tokens through a state equal the whole.
void check_chunks(Mixer& mixer) {
  Context ctx;
  const Tensor x = noise({2, 9, 8}, 1), whole = mixer.forward(x, {.mask = causal_mask()}, ctx).value();
  const auto state = mixer.start(2, 9);
  for (auto [begin, end] : {std::pair{0L, 3L}, {3, 4}, {4, 9}}) {
    const MixIn in{.mask = causal_mask(), .state = state.get()};
    const Tensor y = mixer.forward(slice(x, 1, begin, end), in, ctx).value();
    check_close(y, contiguous(slice(whole, 1, begin, end)), 1e-12);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(multi_head_test)

BOOST_AUTO_TEST_CASE(without_keys_of_their_own_queries_are_the_keys) {
  const auto mixer = made<SharedCore>();
  BOOST_TEST(parameter(*mixer, "in.weight").shape() == (Shape{2 * 4 + 2 * 3, 8}));
  Context ctx;
  const Tensor weights = mixer->weights(noise({1, 5, 8}, 1), {}, ctx);
  const Tensor w = slice(parameter(*mixer, "in.weight"), 0, 0, 4), b = slice(parameter(*mixer, "in.bias"), 0, 0, 4);
  const Tensor q = matmul(select(noise({1, 5, 8}, 1), 0, 0), transpose(w)) + b;  // of the first head
  const Tensor scores = exp(matmul(q, transpose(q)) * 0.5);
  check_close(contiguous(select(select(weights, 0, 0), 0, 0)), scores / sum(scores, {-1}, true), 1e-12);
  check_chunks(*mixer);
  MixerOptions fewer = kSizes;
  fewer.key_heads = 1;
  BOOST_TEST(error_of([&] { made<SharedCore>(fewer); }) ==
             "attention: heads is 2 and key_heads is 1; here keys are the queries, so that there are as many of both");
}

BOOST_AUTO_TEST_CASE(without_queries_there_are_values_alone_also_in_a_state) {
  const auto mixer = made<MeanCore>();
  BOOST_TEST(parameter(*mixer, "in.weight").shape() == (Shape{2 * 3, 8}));
  check_chunks(*mixer);
  Context ctx;
  const auto state = mixer->start(1, 9), other = mixer->start(1, 9);
  const MixIn in{.mask = causal_mask(), .state = state.get()}, again{.mask = causal_mask(), .state = other.get()};
  mixer->forward(noise({1, 4, 8}, 1), in, ctx);
  BOOST_TEST_REQUIRE(state->tensors().size() == 1u);
  BOOST_TEST(state->tensors()[0].first == "v");
  other->restore(4, state->tensors());
  const Tensor next = noise({1, 2, 8}, 2);
  BOOST_TEST(same_bits(mixer->forward(next, again, ctx).value(), mixer->forward(next, in, ctx).value()));
}

BOOST_AUTO_TEST_CASE(a_core_without_weights_says_so) {
  Context ctx;
  BOOST_TEST(error_of([&] {
               made<MeanCore>()->weights(zeros({1, 2, 8}, f64), {}, ctx);
             }) == "attention: this attention has no dense map of weights to show");
}

BOOST_AUTO_TEST_SUITE_END()
