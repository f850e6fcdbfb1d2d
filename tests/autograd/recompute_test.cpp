#include "autograd/recompute.h"

#include "autograd/attach_loss.h"
#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "nn/context.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// A block with a parameter, a random mask and a decision: everything that a replay must bring back.
class NoisyBlock : public Module {
 public:
  NoisyBlock() : weight(parameter("weight", {33, 33}, init::normal(0.2))) {}

  Variable forward(const Variable& x, Context& ctx) {
    Tensor keep = keep_mask({1, x.size(0), x.size(1)}, ctx.random(*this), 0.3);
    double factor = ctx.decide<double>(*this, [&] { return 1.0 + ++decisions * 0.01; });
    ctx.report("factor", factor);
    Variable h = tanh(matmul(x, weight)) * factor;
    return x + h * reshape_of(cast(keep, f32), x.shape());  // x is used twice, inside and outside of h
  }

  Variable& weight;
  int decisions = 0;

 private:
  static Tensor reshape_of(const Tensor& x, const Shape& shape) { return Tensor::view(x, shape, row_major(shape), 0); }
};

struct Result {
  Tensor loss, dx, dw;
  std::map<std::string, double> metrics;
};

// Four uses of one block, so that the parameter is shared between the recomputed blocks.
Result run(bool recomputed) {
  NoisyBlock block;
  Context ctx;
  ctx.seed = 3;
  ctx.begin(5);
  Variable x = Variable::leaf(randn({17, 33}, 1)), y = x;
  for (int i = 0; i < 4; i++) {
    auto fn = [&](const std::vector<Variable>& in) { return block.forward(in[0], ctx); };
    y = recomputed ? recompute(fn, {y}, ctx.mark()) : fn({y});
    y = y * 0.9 + x;
  }
  Variable loss = mean(y * y);
  loss.backward();
  BOOST_TEST(block.decisions == 4);
  return {loss.value(), x.grad(), block.weight.grad(), ctx.metrics()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(recomputed_gradients_are_bit_equal_to_plain_ones) {
  Result plain = run(false), replayed = run(true);
  BOOST_TEST(same_bits(plain.loss, replayed.loss));
  BOOST_TEST(same_bits(plain.dx, replayed.dx));
  BOOST_TEST(same_bits(plain.dw, replayed.dw));
  BOOST_TEST((plain.metrics == replayed.metrics));
}

BOOST_AUTO_TEST_CASE(recomputed_blocks_inside_of_recomputed_blocks_work) {
  Tensor gradients[2];
  for (bool nested : {false, true}) {
    Variable x = Variable::leaf(tensor({0.1, 0.2}));
    auto inner = [](const std::vector<Variable>& in) { return tanh(in[0] * 3.0) * in[0]; };
    auto outer = [&](const std::vector<Variable>& in) {
      return exp(nested ? recompute(inner, in, nullptr) : inner(in)) * in[0];
    };
    sum(nested ? recompute(outer, {x}, nullptr) : outer({x})).backward();
    gradients[nested] = x.grad();
  }
  BOOST_TEST(same_bits(gradients[0], gradients[1]));
}

BOOST_AUTO_TEST_CASE(a_block_may_use_variables_that_are_not_its_inputs) {
  Variable x = Variable::leaf(tensor({2})), h = x * 3.0;
  Variable y = recompute([&](const std::vector<Variable>& in) { return in[0] * h; }, {x}, nullptr);
  sum(y).backward();
  check_close(x.grad(), tensor({12}), 0);  // y = 3 x^2
}

BOOST_AUTO_TEST_CASE(a_loss_attached_inside_of_a_recomputed_block_counts_once) {
  Variable x = Variable::leaf(tensor({2}));
  Variable y = recompute([](const std::vector<Variable>& in) { return attach_loss(in[0], sum(in[0] * in[0]), 0.5); },
                         {x}, nullptr);
  sum(y).backward();
  check_close(x.grad(), tensor({3}), 0);  // 1 + 0.5 * 2x
}

BOOST_AUTO_TEST_CASE(a_recomputed_block_keeps_its_inputs_only) {
  auto chain = [](const std::vector<Variable>& in) {
    Variable y = in[0];
    for (int i = 0; i < 10; i++) y = tanh(y);
    return y;
  };
  Variable x = Variable::leaf(randn({100, 100}, 1));
  size_t before = memory_stats().live;
  Variable y = recompute(chain, {x}, nullptr);
  BOOST_TEST(memory_stats().live <= before + 45056);  // y: 40,000 bytes, rounded up
}

BOOST_AUTO_TEST_CASE(a_recomputed_block_whose_input_changed_is_refused) {
  Variable x = Variable::leaf(tensor({2}));
  Variable y = recompute([](const std::vector<Variable>& in) { return in[0] + 1.0; }, {x}, nullptr);
  fill(x.value(), 3);
  BOOST_TEST(error_of([&] { sum(y).backward(); }).starts_with("recompute: a tensor saved for its gradient"));
}

BOOST_AUTO_TEST_CASE(a_recomputed_block_keeps_a_recomputable_input_and_does_not_compute_it_again) {
  for (bool changed : {false, true}) {
    int again = 0;
    Variable x = Variable::leaf(tensor({2})), h = recomputable(x * 3.0, [&again, x = Saved(x)] {
                                                again++;
                                                return x.get() * 3.0;
                                              });
    Variable y = recompute([](const std::vector<Variable>& in) { return in[0] + 1.0; }, {h}, nullptr);
    if (changed) fill(h.value(), 3);
    if (changed)
      BOOST_TEST(error_of([&] { sum(y).backward(); }).starts_with("recompute: a tensor saved for its gradient"));
    else
      sum(y).backward();
    BOOST_TEST(again == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_recomputed_block_whose_parameter_changed_is_refused_like_a_plain_op) {
  Variable x = Variable::leaf(tensor({2})), w = Variable::leaf(tensor({3}));
  Variable y = recompute([&](const std::vector<Variable>& in) { return in[0] * w; }, {x}, nullptr);
  fill(w.value(), 5);
  BOOST_TEST(error_of([&] { sum(y).backward(); }).starts_with("recompute: a tensor saved for its gradient"));
}

BOOST_AUTO_TEST_CASE(a_block_that_is_not_a_pure_function_of_its_shapes_is_refused) {
  Variable x = Variable::leaf(tensor({2, 3}));
  int calls = 0;
  Variable y =
      recompute([&](const std::vector<Variable>& in) { return calls++ ? sum(in[0]) : in[0] * 1.0; }, {x}, nullptr);
  BOOST_TEST(error_of([&] { sum(y).backward(); }) ==
             "recompute: the block gave other shapes when it was computed again; it must be a pure function");
}

BOOST_AUTO_TEST_CASE(a_recomputed_block_is_replayed_with_recording_on_even_if_backward_is_called_under_no_grad) {
  Variable x = Variable::leaf(tensor({2}));
  Variable y = recompute([](const std::vector<Variable>& in) { return in[0] * in[0]; }, {x}, nullptr);
  NoGrad guard;
  y.backward(tensor({1}));
  check_close(x.grad(), tensor({4}), 0);
}

BOOST_AUTO_TEST_CASE(a_block_may_have_several_results) {
  Variable x = Variable::leaf(tensor({2}));
  auto ys = recompute_many(
      [](const std::vector<Variable>& in) {
        return std::vector<Variable>{in[0] * 3.0, in[0] * in[0], in[0]};
      },
      {x}, nullptr);
  sum(ys[0] + ys[1]).backward();  // the third is not used
  check_close(x.grad(), tensor({7}), 0);
}

BOOST_AUTO_TEST_CASE(two_passes_before_one_backward_replay_their_own_decisions_and_seeds) {
  struct Choosing : Module {
    Variable forward(const Variable& x, Context& ctx) {
      return x * ctx.decide<double>(*this, [&] { return ++made; });
    }
    double made = 0;
  };
  Choosing module;
  Context ctx;
  Variable x = Variable::leaf(tensor({1}));
  auto pass = [&](uint32_t first_sample) {
    ctx.begin(1, first_sample);
    return recompute([&](const std::vector<Variable>& in) { return module.forward(in[0], ctx); }, {x}, ctx.mark());
  };
  Variable first = pass(0), second = pass(1);  // 1 and 2 were decided
  Variable loss = sum(first) + sum(second * 10.0);
  ctx.begin(2);
  ctx.seed = 99;
  loss.backward();
  check_close(x.grad(), tensor({21}), 0);
}

BOOST_AUTO_TEST_CASE(a_recomputed_block_passes_gradcheck) {
  const auto block = [](const std::vector<Variable>& in) { return tanh(matmul(in[0], in[1])); };
  BOOST_CHECK_NO_THROW(
      gradcheck([=](auto& x) { return recompute(block, x, nullptr); }, {noise({2, 3}), noise({3, 2}, 2)}));
}
