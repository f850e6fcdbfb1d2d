#include "nn/feed_forward.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kRounding = 1e-14;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double relu_of(double x) { return x > 0 ? x : 0; }
double gelu_of(double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); }
double gelu_tanh_of(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
double quick_gelu_of(double x) { return x * sigmoid_of(1.702 * x); }
double silu_of(double x) { return x * sigmoid_of(x); }

struct Case {
  const char* name;
  double (*f)(double);
  bool gated;
};
const Case kCases[] = {{"relu", relu_of, false},           {"gelu", gelu_of, false},
                       {"gelu_tanh", gelu_tanh_of, false}, {"quick_gelu", quick_gelu_of, false},
                       {"silu", silu_of, false},           {"glu", sigmoid_of, true},
                       {"reglu", relu_of, true},           {"geglu", gelu_of, true},
                       {"swiglu", silu_of, true}};

Tensor named(Module& module, const std::string& path) {
  for (Parameter* p : module.parameters())
    if (p->path == path) return p->value.value();
  BOOST_FAIL("no parameter " << path);
  return Tensor();
}

// y of one token by plain loops
std::vector<double> by_hand(Module& module, const Case& c, const std::vector<double>& x) {
  const Tensor in = named(module, "in.weight"), out = named(module, "out.weight");
  const Tensor in_bias = named(module, "in.bias"), out_bias = named(module, "out.bias");
  const long hidden = out.size(1), C = out.size(0);
  auto project = [&](long row) {
    double total = in_bias.at({row});
    for (long c = 0; c < C; c++) total += in.at({row, c}) * x[size_t(c)];
    return total;
  };
  std::vector<double> y;
  for (long c = 0; c < C; c++) y.push_back(out_bias.at({c}));
  for (long h = 0; h < hidden; h++) {
    const double value = c.gated ? project(h) * c.f(project(hidden + h)) : c.f(project(h));
    for (long c = 0; c < C; c++) y[size_t(c)] += out.at({c, h}) * value;
  }
  return y;
}

void draw_biases(Module& module) {  // they are zeros at first
  for (Parameter* p : module.parameters())
    if (p->value.dims() == 1) p->value.set_value(noise(p->value.shape(), 5));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(feed_forward_test)

BOOST_AUTO_TEST_CASE(every_activation_is_its_formula) {
  BOOST_TEST(FeedForward::activations().size() == std::size(kCases));
  for (const Case& c : kCases) BOOST_TEST_CONTEXT(c.name) {
      FeedForward layer(3, 5, {.activation = c.name});
      layer.cast_parameters(f64);
      draw_biases(layer);
      Context ctx;
      const Tensor x = noise({2, 4, 3}), y = layer.forward(x, ctx).value();
      BOOST_TEST_REQUIRE(y.shape() == x.shape());
      for (long b = 0; b < 2; b++)
        for (long t = 0; t < 4; t++) {
          const auto want = by_hand(layer, c, select(select(x, 0, b), 0, t).to_vector<double>());
          check_close(select(select(y, 0, b), 0, t), from_vector(want, {3}), kRounding);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_activation_passes_gradcheck) {
  for (const Case& c : kCases) BOOST_TEST_CONTEXT(c.name) {
      FeedForward layer(3, 5, {.activation = c.name});
      layer.cast_parameters(f64);
      Context ctx;
      BOOST_CHECK_NO_THROW(
          gradcheck([&](auto& x) { return layer.forward(x[0], ctx); }, {noise({2, 2, 3})}, {.f32_tolerance = 0}));
    }
}

BOOST_AUTO_TEST_CASE(parameters_are_those_of_two_layers) {
  BOOST_TEST(FeedForward(3, 5).parameter_count() == 3 * 5 + 5 + 5 * 3 + 3);
  BOOST_TEST(FeedForward(3, 5, {.bias = false}).parameter_count() == 2 * 3 * 5);
  BOOST_TEST(FeedForward(3, 5, {.activation = "swiglu", .bias = false}).parameter_count() == 3 * 3 * 5);
  FeedForward quiet(3, 5, {.out = init::zeros()});
  Context ctx;
  check_close(quiet.forward(noise({2, 3}, 1, f32), ctx).value(), zeros({2, 3}), 0);
}

BOOST_AUTO_TEST_CASE(the_usual_width_gives_gated_layers_as_many_parameters) {
  BOOST_TEST(FeedForward::usual_hidden(512, "gelu") == 2048);
  BOOST_TEST(FeedForward::usual_hidden(512, "swiglu") == 1368);  // 1365.3, rounded up to a multiple of 8
  BOOST_TEST(FeedForward::usual_hidden(3, "glu") == 8);
}

BOOST_AUTO_TEST_CASE(dropout_acts_in_training_only_and_is_replayed) {
  FeedForward layer(4, 64, {.dropout = 0.5});
  Context ctx;
  const Tensor x = noise({2, 3, 4}, 1, f32);
  const Tensor calm = layer.forward(x, ctx).value();
  BOOST_TEST(same_bits(layer.forward(x, ctx).value(), calm));
  ctx.train = true;
  ctx.begin(1);
  const Tensor first = layer.forward(x, ctx).value();
  BOOST_TEST(!same_bits(first, calm));
  ctx.begin(1);
  BOOST_TEST(same_bits(layer.forward(x, ctx).value(), first));
  ctx.begin(2);
  BOOST_TEST(!same_bits(layer.forward(x, ctx).value(), first));
}

BOOST_AUTO_TEST_CASE(bits_are_the_same_for_any_thread_count) {
  FeedForward layer(65, 257, {.activation = "geglu"});
  Context ctx;
  const Tensor x = noise({3, 101, 65}, 1, f32);
  Tensor first;
  on_threads(1, [&] { first = layer.forward(x, ctx).value(); });
  for (int count : {2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(layer.forward(x, ctx).value(), first)); });
}

BOOST_AUTO_TEST_CASE(empty_sequences_and_one_token_work) {
  Context ctx;
  for (const char* name : {"relu", "geglu"}) {
    FeedForward layer(3, 5, {.activation = name});
    for (const Shape& shape : {Shape{2, 0, 3}, {0, 3}, {3}, {1, 1, 3}})
      BOOST_TEST(layer.forward(zeros(shape), ctx).shape() == shape);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_activation_lists_the_known_and_suggests_the_nearest) {
  const std::string known = "there are relu, gelu, gelu_tanh, quick_gelu, silu, glu, reglu, geglu, swiglu";
  BOOST_TEST(error_of([] { FeedForward layer(3, 5, {.activation = "swigul"}); }) ==
             "feed_forward: there is no activation 'swigul'; " + known + ". Did you mean swiglu?");
  BOOST_TEST(error_of([] { FeedForward::usual_hidden(3, "Tangens"); }) ==
             "feed_forward: there is no activation 'Tangens'; " + known);
}

BOOST_AUTO_TEST_CASE(chunks_draw_the_dropout_of_the_whole) {
  const auto run = [](long chunks, double p, const Shape& shape) {
    FeedForward layer(5, 11, {.dropout = p, .chunks = chunks});
    layer.cast_parameters(f64);
    Context ctx;
    ctx.train = true, ctx.first_sample = 3;
    const Variable x = Variable::leaf(noise(shape));
    const Variable y = layer.forward(x, ctx);
    sum(y * y).backward();
    std::vector<Tensor> all = {y.value(), x.grad()};
    for (Parameter* each : layer.parameters()) all.push_back(each->value.grad());
    return all;
  };
  for (const Shape& shape : {Shape{5, 4, 5}, Shape{7, 5}, Shape{2, 2, 3, 5}, Shape{5}, Shape{0, 5}})
    for (double p : {0.0, 0.4})
      for (long chunks : {2, 3, 100}) {
        const auto whole = run(1, p, shape), cut = run(chunks, p, shape);
        for (size_t i = 0; i < whole.size(); i++) check_close(cut[i], whole[i], 1e-13);
      }
  BOOST_TEST(error_of([] { FeedForward layer(3, 5, {.chunks = 0}); }) ==
             "feed_forward: chunks is 0; it must be at least 1");
}

BOOST_AUTO_TEST_CASE(chunks_without_gradients_make_nobody_keep_decisions) {
  FeedForward layer(5, 11, {.chunks = 3});
  const auto decided = [&](Context& ctx) {
    return ctx.decide<std::shared_ptr<int>>(layer, [] { return std::make_shared<int>(7); });
  };
  Context sampling, training;
  {
    const NoGrad off;
    layer.forward(noise({4, 5}, 1, f32), sampling);
    BOOST_TEST(decided(sampling).use_count() == 1);
  }
  layer.forward(noise({4, 5}, 1, f32), training);
  const NoGrad off;  // as inside of a block that backward computes again
  BOOST_TEST(decided(training).use_count() == 2);
}

BOOST_AUTO_TEST_CASE(a_wrong_width_is_refused) {
  FeedForward layer(3, 5);
  Context ctx;
  BOOST_TEST(error_of([&] {
               layer.forward(zeros({2, 4}), ctx);
             }) == "linear: x is (2, 4) and w is (5, 3); with x (..., in) w must be (out, in)");
  BOOST_TEST(error_of([&] { FeedForward bad(3, 0); }) ==
             "feed_forward: C is 3 and hidden is 0; both must be at least 1");
}

BOOST_AUTO_TEST_SUITE_END()
