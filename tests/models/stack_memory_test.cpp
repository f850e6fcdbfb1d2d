// Stacks that trade time for memory: the same gradients, and less memory.
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "models/stack.h"
#include "nn/feed_forward.h"
#include "tensor/allocator.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "train/model_tensors.h"

using namespace heed;

namespace {

StackOptions noisy(const std::string& ordering) {
  return {.C = 24, .heads = 3, .ordering = ordering, .dropout = 0.2, .attention_dropout = 0.1, .max_length = 64};
}

// y, and the gradients of x, of the source and of all parameters
std::vector<Tensor> trained(const StackOptions& options) {
  Stack stack(options);
  Context ctx;
  ctx.train = true;
  ctx.begin(3, 5);
  const bool cross = options.ordering.find('c') != std::string::npos;
  const Variable x = Variable::leaf(randn({3, 10, 24}, 1)), other = Variable::leaf(randn({3, 7, 24}, 2));
  const Variable source = other * 2.0;
  const Variable y = stack.forward(x, {.mask = causal_mask(), .source = cross ? &source : nullptr}, ctx);
  mean(y * randn(y.shape(), 9)).backward();
  std::vector<Tensor> all = {y.value(), x.grad()};
  if (cross) all.push_back(other.grad());
  for (Parameter* p : stack.parameters()) all.push_back(p->value.grad());
  return all;
}

// Three segments one after the other, with what the stack remembers: all results, gradients and what is remembered.
std::vector<Tensor> trained_on_segments(const StackOptions& options) {
  Stack stack(options);
  Context ctx;
  ctx.train = true;
  StackState state = stack.start(3, 1000);
  std::vector<Tensor> all;
  for (uint32_t step : {1, 2, 3}) {
    ctx.begin(step);
    const Variable x = Variable::leaf(randn({3, 10, 24}, step)), other = Variable::leaf(randn({3, 7, 24}, 2));
    const Variable source = other * 2.0;
    const bool cross = options.ordering.find('c') != std::string::npos;
    const Variable y =
        stack.forward(x, {.mask = causal_mask(), .source = cross ? &source : nullptr, .state = &state}, ctx);
    mean(y * randn(y.shape(), 9)).backward();
    all.insert(all.end(), {y.value(), x.grad()});
    if (cross && step == 1) all.push_back(other.grad());  // later ones find what was made of the first
  }
  for (Parameter* p : stack.parameters()) all.push_back(p->value.grad());
  for (const State::Saved& saved : state.saved())
    for (const auto& [name, tensor] : saved.tensors) all.push_back(tensor);
  return all;
}

// Do the gradients of a stack predict how its loss changes along a direction? Without a gradient nothing is
// reconstructed: that is the plain function.
void check_slopes(const StackOptions& options, bool with_state) {
  Stack stack(options);
  stack.cast_parameters(f64);
  Context ctx;
  ctx.train = true;
  StackState state = stack.start(2, 1000);
  if (with_state) stack.forward(randn({2, 11, 24}, 3, f64), {.mask = causal_mask(), .state = &state}, ctx);
  const StackState::Saved before = state.saved();
  const auto loss = [&](const Variable& x) {
    ctx.begin(3, 5);
    state.restore(before);
    return mean(stack.forward(x, {.mask = causal_mask(), .state = with_state ? &state : nullptr}, ctx) *
                randn({2, 10, 24}, 9, f64));
  };
  const Variable x = Variable::leaf(randn({2, 10, 24}, 1, f64));
  loss(x).backward();
  const StackState::Saved after = state.saved();
  double predicted = 0;
  Tensor at = x.value();
  std::vector<std::pair<Variable*, Tensor>> ways;  // every parameter and its direction
  uint32_t seed = 10;
  for (Parameter* p : stack.parameters()) {
    ways.emplace_back(&p->value, randn(p->value.shape(), seed++, f64));
    if (p->value.grad().defined()) predicted += sum(p->value.grad() * ways.back().second).item();
  }
  const Tensor way = randn(at.shape(), seed, f64);
  predicted += sum(x.grad() * way).item();
  const double h = 1e-6;
  const auto moved = [&](double by) {
    for (auto& [value, direction] : ways) value->set_value(value->value() + direction * by);
    at = at + way * by;
    const NoGrad no_grad;
    return loss(at).item();
  };
  const double up = moved(h), down = moved(-2 * h);
  BOOST_TEST(predicted == (up - down) / (2 * h), boost::test_tools::tolerance(1e-6));
  moved(h);
  const StackState::Saved plain = state.saved();
  for (size_t i = 0; i < plain.size(); i++)
    for (size_t j = 0; j < plain[i].tensors.size(); j++)
      check_close(after[i].tensors[j].second, plain[i].tensors[j].second, 1e-9);
}

constexpr long kB = 2, kT = 64, kC = 32;
constexpr double kUnit = 4.0 * kB * kT * kC;  // bytes of one x

// Bytes of a forward and a backward pass, above the parameters and their gradients.
double step_bytes(const StackOptions& given) {
  StackOptions options = given;
  options.C = kC;
  Stack stack(options);
  for (Parameter* p : stack.parameters()) p->value.set_grad(zeros(p->value.shape()));
  Context ctx;
  ctx.train = true;
  const Variable x = Variable::leaf(randn({kB, kT, kC}, 1));
  reset_peak();
  const double before = double(memory_stats().live);
  sum(stack.forward(x, {.mask = causal_mask()}, ctx)).backward();
  return double(memory_stats().peak) - before;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stack_memory_test)

BOOST_AUTO_TEST_CASE(recomputed_blocks_have_the_gradients_of_the_plain_stack_to_the_bit) {
  for (const char* ordering : {"sfsf", "ssff", "f", "scfscf", "sffs", "fssf", "sfff", "ssfsfsff"})
    for (bool pre_norm : {true, false}) {
      StackOptions options = noisy(ordering);
      options.pre_norm = options.rotary = pre_norm;
      const std::vector<Tensor> plain = trained(options);
      options.recompute_blocks = true;
      const std::vector<Tensor> again = trained(options);
      for (size_t i = 0; i < plain.size(); i++)
        BOOST_TEST(same_bits(plain[i], again[i]), ordering << " " << pre_norm << ": tensor " << i);
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_a_reversible_stack_are_slopes_also_with_a_state) {
  for (const char* ordering : {"sfsf", "ssff", "fssf", "sfff", "ssfsfsff"})
    for (const char* attention : {"window:left=6", "linear"})
      for (bool with_state : {false, true}) {
        StackOptions options = noisy(ordering);
        options.attention = attention;
        options.reversible = true;
        check_slopes(options, with_state);
      }
}

BOOST_AUTO_TEST_CASE(recomputed_blocks_have_the_gradients_of_the_plain_stack_with_a_state_too) {
  for (const char* attention : {"full", "window:left=6", "linear", "local:block=4", "window:left=3*1;linear"})
    for (const char* ordering : {"sfsf", "ssff", "sffs", "scfscf"}) {
      StackOptions options = noisy(ordering);
      options.attention = attention;
      const std::vector<Tensor> plain = trained_on_segments(options);
      options.recompute_blocks = true;
      const std::vector<Tensor> again = trained_on_segments(options);
      BOOST_TEST(plain.size() == again.size());
      for (size_t i = 0; i < plain.size(); i++)
        BOOST_TEST(same_bits(plain[i], again[i]), attention << " " << ordering << ": tensor " << i);
    }
}

BOOST_AUTO_TEST_CASE(a_reversible_stack_begins_with_two_copies_and_ends_with_the_mean_of_its_halves) {
  StackOptions options = noisy("sf");
  options.reversible = true;
  Stack stack(options);
  struct Parts : Module {
    LayerNorm &n0 = child<LayerNorm>("norm_0", 24), &n1 = child<LayerNorm>("norm_1", 24),
              &last = child<LayerNorm>("norm", 24);
    Mixer& s = child_from("layer_0", [] { return make_mixer("full", {.C = 24, .heads = 3}); });
    FeedForward& f = child<FeedForward>("layer_1", 24, 96);
  } parts;
  load_model(parts, model_tensors(stack), "the stack");
  Context ctx;
  const Variable x = randn({2, 5, 24}, 1);
  const Variable y1 = x + parts.s.forward(parts.n0.forward(x, ctx), {.mask = causal_mask()}, ctx);
  const Variable y2 = x + parts.f.forward(parts.n1.forward(y1, ctx), ctx);
  check_close(stack.forward(x, {.mask = causal_mask()}, ctx).value(), parts.last.forward((y1 + y2) * 0.5, ctx).value(),
              1e-6);
}

BOOST_AUTO_TEST_CASE(chunked_feed_forward_changes_neither_result_nor_gradients) {
  for (bool recomputed : {false, true}) {
    StackOptions options = noisy("sfsf");
    options.recompute_blocks = recomputed;
    const std::vector<Tensor> whole = trained(options);
    for (long chunks : {2, 4, 1000}) {
      options.feed_forward_chunks = chunks;
      const std::vector<Tensor> cut = trained(options);
      for (size_t i = 0; i < whole.size(); i++) check_close(cut[i], whole[i], 2e-6);  // products of other shapes
    }
  }
}

BOOST_AUTO_TEST_CASE(memory_per_block_is_ten_x_one_when_recomputed_and_none_when_reversible) {
  const auto growth = [](StackOptions options) {  // in units of x, per sf
    options.ordering = repeated("sf", 4);
    const double four = step_bytes(options);
    options.ordering = repeated("sf", 12);
    return (step_bytes(options) - four) / 8 / kUnit;
  };
  const StackOptions plain{.heads = 2, .dropout = 0.1};
  StackOptions recomputed = plain, reversible = plain;
  recomputed.recompute_blocks = true, reversible.reversible = true;
  // sum, q, k, v, o of s; sum and 4 before the activation of f. Norms and the activation's result are computed again,
  // but for 3 numbers a row.
  BOOST_TEST(growth(plain) == 10, boost::test_tools::tolerance(0.03));
  StackOptions gated = plain;
  gated.activation = "swiglu", gated.hidden = 4 * kC;  // 2 * 4 before the activation
  BOOST_TEST(growth(gated) == 14, boost::test_tools::tolerance(0.03));
  BOOST_TEST(growth(recomputed) <= 1.05);
  BOOST_TEST(growth(reversible) == 0);
}

BOOST_AUTO_TEST_CASE(chunks_shrink_what_feed_forward_needs_at_a_time) {
  StackOptions whole{.heads = 2, .ordering = "sfsfsf", .hidden = 512, .recompute_blocks = true}, cut = whole;
  cut.feed_forward_chunks = 8;
  BOOST_TEST(step_bytes(cut) < 0.4 * step_bytes(whole));  // hidden is 16 times as wide as x
}

BOOST_AUTO_TEST_CASE(a_state_is_served_by_a_recomputed_and_a_reversible_stack) {
  for (bool reversible : {true, false}) {
    StackOptions options = noisy("sfsf");
    options.reversible = reversible, options.recompute_blocks = !reversible;
    Stack stack(options);
    Context ctx;
    const Tensor x = randn({2, 6, 24}, 1), whole = stack.forward(x, {.mask = causal_mask()}, ctx).value();
    NoGrad no_grad;
    StackState state = stack.start(2, 6);
    for (long t = 0; t < 6; t++)
      check_close(stack.forward(slice(x, 1, t, t + 1), {.mask = causal_mask(), .state = &state}, ctx).value(),
                  slice(whole, 1, t, t + 1), 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_reversible_is_refused) {
  const auto refusal = [](const std::string& ordering, bool pre_norm = true, bool recomputed = false) {
    StackOptions options = noisy(ordering);
    options.reversible = true, options.pre_norm = pre_norm, options.recompute_blocks = recomputed;
    return error_of([&] { Stack stack(options); });
  };
  BOOST_TEST(refusal("sfs") ==
             "stack: the ordering 'sfs' has 3 letters; a reversible stack is made of pairs, such as sfsf or ssff");
  BOOST_TEST(
      refusal("scfs") ==
      "stack: the ordering 'scfs' has c (cross-attention), which reads a source; a reversible stack cannot. Leave "
      "it away, or reversible off");
  BOOST_TEST(refusal("sf", false) ==
             "stack: reversible is on and pre_norm is off; a norm behind the sum cannot be undone");
  BOOST_TEST(refusal("sf", true, true) ==
             "stack: reversible and recompute_blocks are both on; choose one, a reversible stack keeps no block's "
             "input");
}

BOOST_AUTO_TEST_SUITE_END()
