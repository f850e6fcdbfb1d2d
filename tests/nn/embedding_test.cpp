#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "nn/arena.h"
#include "nn/embedding.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// The smallest language model: its head is its embedding.
class Tied : public Module {
 public:
  Tied() : tokens(child<Embedding>("tokens", 5, 3, Embedding::Options{.scale = 2})) {}
  Variable forward(const Tensor& ids, Context& ctx) { return tokens.logits(tanh(tokens.forward(ids, ctx)), ctx); }
  Embedding& tokens;
};

const Tensor kIds = tensor({4, 0, 4, 1, 1, 2}, {2, 3}, i64);

}  // namespace

BOOST_AUTO_TEST_SUITE(embedding_layer_test)

BOOST_AUTO_TEST_CASE(ids_become_scaled_rows_of_the_table) {
  Context ctx;
  Embedding plain(5, 3), scaled(5, 3, {.scale = std::sqrt(3.0)});
  BOOST_TEST(same_bits(plain.forward(kIds, ctx).value(), embedding(plain.weight.value(), kIds)));
  check_close(scaled.forward(kIds, ctx).value(), embedding(scaled.weight.value(), kIds) * std::sqrt(3.0), 0);
  BOOST_TEST(plain.forward(zeros({2, 0}, i64), ctx).shape() == (Shape{2, 0, 3}));
}

BOOST_AUTO_TEST_CASE(the_tied_head_is_a_product_with_the_same_table_without_scale) {
  Context ctx;
  Embedding tokens(5, 3, {.weight = init::normal(1), .scale = 7});
  const Tensor x = noise({2, 4, 3}, 1, f32);
  check_close(tokens.logits(x, ctx).value(), matmul(x, transpose(tokens.weight.value())), 1e-6);
}

BOOST_AUTO_TEST_CASE(a_tied_weight_is_one_parameter_under_one_name) {
  Tied model;
  BOOST_TEST(model.parameters().size() == 1);
  BOOST_TEST(model.parameters()[0]->path == "tokens.weight");
  BOOST_TEST(model.parameter_count() == 15);
  BOOST_TEST(ParameterArena(model).entries().size() == 1);
}

BOOST_AUTO_TEST_CASE(gradients_of_both_uses_add_up) {
  Tied model;
  Context ctx;
  // The same with two tables of the same numbers: their gradients, added.
  Embedding in(5, 3, {.scale = 2}), out(5, 3);
  model.cast_parameters(f64);
  in.weight.set_value(clone(model.tokens.weight.value()));
  out.weight.set_value(clone(model.tokens.weight.value()));
  const Tensor dy = noise({2, 3, 5});
  model.forward(kIds, ctx).backward(dy);
  out.logits(tanh(in.forward(kIds, ctx)), ctx).backward(dy);
  check_close(model.tokens.weight.grad(), in.weight.grad() + out.weight.grad(), 1e-14);
}

BOOST_AUTO_TEST_CASE(the_tied_weight_passes_gradcheck) {
  Tied model;
  Context ctx;
  auto f = [&](const auto& x) {
    const double scale = 2;
    return linear(tanh(embedding(x[0], kIds) * scale), x[0], Variable());
  };
  BOOST_CHECK_NO_THROW(gradcheck(f, {noise({5, 3})}));
  // and the module is this function
  model.cast_parameters(f64);
  check_close(model.forward(kIds, ctx).value(), f(std::vector<Variable>{model.tokens.weight}).value(), 1e-15);
}

BOOST_AUTO_TEST_CASE(rows_start_small) {
  Embedding tokens(1000, 64);
  tokens.initialise(3);
  const Tensor w = tokens.weight.value();
  BOOST_TEST(std::sqrt(mean(w * w).item()) == 0.02, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(ids_outside_of_the_vocabulary_are_refused) {
  Context ctx;
  Embedding tokens(5, 3);
  BOOST_TEST(error_of([&] {
               tokens.forward(tensor({0, 5}, {1, 2}, i64), ctx);
             }) == "embedding: id 5 at (0, 1) of the ids, which are (1, 2), is out of range; the rule is 0 <= id < 5");
  BOOST_TEST(error_of([&] {
               tokens.logits(zeros({1, 2, 4}), ctx);
             }) == "linear: x is (1, 2, 4) and w is (5, 3); with x (..., in) w must be (out, in)");
}

BOOST_AUTO_TEST_SUITE_END()
