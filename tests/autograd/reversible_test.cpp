#include "autograd/reversible.h"

#include "autograd/attach_loss.h"
#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "nn/dropout.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// tanh(x w) with dropout, and a decision: everything that a replay must bring back.
class NoisyBranch : public Module {
 public:
  explicit NoisyBranch(long C)
      : weight(parameter("weight", {C, C}, init::normal(0.2))), dropout_(child<Dropout>("dropout", 0.3)) {}

  Variable forward(const Variable& x, Context& ctx) {
    const double factor = ctx.decide<double>(*this, [&] { return 1.0 + ++decisions * 0.01; });
    ctx.report("factor", factor);
    return dropout_.forward(tanh(matmul(x, weight)), ctx) * factor;
  }

  Variable& weight;
  int decisions = 0;

 private:
  Dropout& dropout_;
};

struct Chain : Module {
  std::vector<NoisyBranch*> parts;
  Chain(long C, int depth) {
    for (int i = 0; i < 2 * depth; i++) parts.push_back(&child<NoisyBranch>("part_" + std::to_string(i), C));
  }
  std::vector<Branch> branches(Context& ctx) {
    std::vector<Branch> all;
    for (NoisyBranch* part : parts) all.push_back([part, &ctx](const Variable& x) { return part->forward(x, ctx); });
    return all;
  }
};

struct Result {
  std::vector<Tensor> tensors;  // y, dx, and the gradients of all weights
  std::map<std::string, double> metrics;
};

Result run(bool plain, DType dtype) {
  Chain chain(33, 5);
  chain.cast_parameters(dtype);
  Context ctx;
  ctx.train = true;
  ctx.begin(5);
  const Variable x = Variable::leaf(randn({2, 17, 33}, 1, dtype));
  const Halves y = plain ? reversible_reference(chain.branches(ctx), {x, x * 2.0})
                         : reversible(chain.branches(ctx), {x, x * 2.0}, [&] { return ctx.mark(); });
  mean(y.x1 * y.x2 + y.x1).backward();
  Result result{{y.x1.value(), y.x2.value(), x.grad()}, ctx.metrics()};
  for (Parameter* p : chain.parameters()) result.tensors.push_back(p->value.grad());
  for (NoisyBranch* part : chain.parts) BOOST_TEST(part->decisions == 1);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reversible_test)

BOOST_AUTO_TEST_CASE(gradients_equal_those_of_the_plain_chain_with_dropout_on) {
  for (DType dtype : {f32, f64}) {
    const Result plain = run(true, dtype), reconstructed = run(false, dtype);
    for (size_t i = 0; i < plain.tensors.size(); i++)
      check_close(reconstructed.tensors[i], plain.tensors[i], dtype == f32 ? 1e-5 : 1e-12);  // the inverse rounds
    BOOST_TEST(same_bits(plain.tensors[0], reconstructed.tensors[0]));
    BOOST_TEST((plain.metrics == reconstructed.metrics));
  }
}

BOOST_AUTO_TEST_CASE(memory_does_not_grow_with_depth) {
  const auto peak = [](int depth) {
    Chain chain(64, depth);
    Context ctx;
    ctx.train = true;
    const Variable x = Variable::leaf(randn({8, 100, 64}, 1));
    for (Parameter* p : chain.parameters()) p->value.set_grad(zeros(p->value.shape()));
    reset_peak();
    const size_t before = memory_stats().live;
    const Halves y = reversible(chain.branches(ctx), {x, x}, [&] { return ctx.mark(); });
    sum(y.x1 + y.x2).backward();
    return memory_stats().peak - before;
  };
  const size_t one = peak(1);
  BOOST_TEST(peak(2) <= one * 1.25);  // with one block the plain start is still held
  BOOST_TEST(peak(20) == peak(2));
}

BOOST_AUTO_TEST_CASE(an_attached_loss_counts_once_and_half_of_the_output_may_be_unused) {
  const auto gradient = [](bool plain) {
    const Variable x = Variable::leaf(tensor({2.0, 3.0}));
    const std::vector<Branch> branches = {[](const Variable& h) { return attach_loss(h * h, sum(h * h), 0.5); },
                                          [](const Variable& h) { return tanh(h); }};
    const Halves y = plain ? reversible_reference(branches, {x, x}) : reversible(branches, {x, x}, nullptr);
    sum(y.x1).backward(0.25);
    return x.grad();
  };
  check_close(gradient(false), gradient(true), 1e-6);
}

BOOST_AUTO_TEST_CASE(parameters_learn_even_if_the_input_takes_no_gradient) {
  Chain chain(4, 1);
  Context ctx;
  const Tensor x = randn({3, 4}, 1);
  const Halves y = reversible(chain.branches(ctx), {x, x}, nullptr);
  sum(y.x2).backward();
  for (Parameter* p : chain.parameters()) BOOST_TEST(p->value.grad().defined(), p->path);
  NoGrad no_grad;
  BOOST_TEST(!reversible(chain.branches(ctx), {x, x}, nullptr).x1.requires_grad());
}

BOOST_AUTO_TEST_CASE(a_branch_may_take_no_gradient) {
  const auto gradient = [](bool plain) {
    const Variable x = Variable::leaf(tensor({2.0, 3.0}));
    const std::vector<Branch> branches = {[](const Variable& h) { return detach(h) * 2.0; },
                                          [](const Variable& h) { return h * h; }};
    const Halves y = plain ? reversible_reference(branches, {x, x}) : reversible(branches, {x, x}, nullptr);
    sum(y.x1 + y.x2).backward();
    return x.grad();
  };
  check_close(gradient(false), gradient(true), 1e-6);
}

BOOST_AUTO_TEST_CASE(a_parameter_that_changed_is_refused) {
  Chain chain(4, 1);
  Context ctx;
  const Variable x = Variable::leaf(randn({3, 4}, 1));
  const Halves y = reversible(chain.branches(ctx), {x, x}, nullptr);
  fill(chain.parts[0]->weight.value(), 1);
  BOOST_TEST(error_of([&] { sum(y.x1).backward(); }).starts_with("reversible: a tensor saved for its gradient"));
}

BOOST_AUTO_TEST_CASE(bad_arguments_are_named) {
  const Tensor x = zeros({2, 3});
  const Branch same = [](const Variable&h) { return h; }, one = [](const Variable&h) { return sum(h); };
  BOOST_TEST(error_of([&] {
               reversible({same}, {x, x}, nullptr);
             }) == "reversible: there are 1 branches; they come in pairs, F and G of each block");
  BOOST_TEST(error_of([&] {
               reversible({same, same}, {x, zeros({3})}, nullptr);
             }) == "reversible: x1 is (2, 3) and x2 is (3,); they must be equal");
  BOOST_TEST(error_of([&] {
               reversible({same, one}, {x, x}, nullptr);
             }) == "reversible: a branch made () of (2, 3); it must keep the shape");
  const Branch wide = [](const Variable& h) { return cast(h, f64); };
  BOOST_TEST(error_of([&] {
               reversible({same, wide}, {x, x}, nullptr);
             }) == "reversible: a branch made f64 of f32; it must keep the type");
}

BOOST_AUTO_TEST_CASE(reversible_blocks_pass_gradcheck) {
  const Branch f = [](const Variable&h) { return tanh(h * 3.0); }, g = [](const Variable&h) { return h * h; };
  const auto product = [&](const std::vector<Variable>& x) {
    const Halves y = reversible({f, g, g, f}, {x[0], x[1]}, nullptr);
    return y.x1 * y.x2;
  };
  BOOST_CHECK_NO_THROW(gradcheck(product, {noise({2, 3}), noise({2, 3}, 2)}));
}

BOOST_AUTO_TEST_SUITE_END()
