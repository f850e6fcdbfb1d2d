#include "autograd/checkpoint.h"
#include "autograd/attach_loss.h"
#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/reduce.h"
#include "nn/context.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/close.h"

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

// Four uses of one block, so that the parameter is shared between the checkpoints.
Result run(bool checkpointed) {
  NoisyBlock block;
  Context ctx;
  ctx.seed = 3;
  ctx.begin(5);
  Variable x = Variable::leaf(randn({17, 33}, 1)), y = x;
  for (int i = 0; i < 4; i++) {
    auto fn = [&](const std::vector<Variable>& in) { return block.forward(in[0], ctx); };
    y = checkpointed ? checkpoint(fn, {y}, ctx.mark()) : fn({y});
    y = y * 0.9 + x;
  }
  Variable loss = mean(y * y);
  loss.backward();
  BOOST_TEST(block.decisions == 4);
  return {loss.value(), x.grad(), block.weight.grad(), ctx.metrics()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(checkpointed_gradients_are_bit_equal_to_plain_ones) {
  Result plain = run(false), replayed = run(true);
  BOOST_TEST(same_bits(plain.loss, replayed.loss));
  BOOST_TEST(same_bits(plain.dx, replayed.dx));
  BOOST_TEST(same_bits(plain.dw, replayed.dw));
  BOOST_TEST((plain.metrics == replayed.metrics));
}

BOOST_AUTO_TEST_CASE(checkpoints_inside_of_checkpoints_work) {
  Tensor gradients[2];
  for (bool nested : {false, true}) {
    Variable x = Variable::leaf(tensor({0.1, 0.2}));
    auto inner = [](const std::vector<Variable>& in) { return tanh(in[0] * 3.0) * in[0]; };
    auto outer = [&](const std::vector<Variable>& in) {
      return exp(nested ? checkpoint(inner, in) : inner(in)) * in[0];
    };
    sum(nested ? checkpoint(outer, {x}) : outer({x})).backward();
    gradients[nested] = x.grad();
  }
  BOOST_TEST(same_bits(gradients[0], gradients[1]));
}

BOOST_AUTO_TEST_CASE(a_block_may_use_variables_that_are_not_its_inputs) {
  Variable x = Variable::leaf(tensor({2})), h = x * 3.0;
  Variable y = checkpoint([&](const std::vector<Variable>& in) { return in[0] * h; }, {x});
  sum(y).backward();
  check_close(x.grad(), tensor({12}), 0);  // y = 3 x^2
}

BOOST_AUTO_TEST_CASE(a_loss_attached_inside_of_a_checkpoint_counts_once) {
  Variable x = Variable::leaf(tensor({2}));
  Variable y =
      checkpoint([](const std::vector<Variable>& in) { return attach_loss(in[0], sum(in[0] * in[0]), 0.5); }, {x});
  sum(y).backward();
  check_close(x.grad(), tensor({3}), 0);  // 1 + 0.5 * 2x
}

BOOST_AUTO_TEST_CASE(a_checkpoint_keeps_its_inputs_only) {
  auto chain = [](const std::vector<Variable>& in) {
    Variable y = in[0];
    for (int i = 0; i < 10; i++) y = tanh(y);
    return y;
  };
  Variable x = Variable::leaf(randn({100, 100}, 1));
  size_t before = memory_stats().live;
  Variable y = checkpoint(chain, {x});
  BOOST_TEST(memory_stats().live <= before + 45056);  // y: 40,000 bytes, rounded up
}

BOOST_AUTO_TEST_CASE(a_checkpoint_whose_input_changed_is_refused) {
  Variable x = Variable::leaf(tensor({2}));
  Variable y = checkpoint([](const std::vector<Variable>& in) { return in[0] + 1.0; }, {x});
  fill(x.value(), 3);
  BOOST_TEST(error_of([&] { sum(y).backward(); }).starts_with("checkpoint: a tensor saved for its gradient"));
}
