#include "nn/layer_norm.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/layer_norm.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

double rounding(DType dtype) { return dtype == f32 ? 1e-5 : 1e-13; }  // up to 1,000 additions in another order
constexpr double kColumnSums = 1e-4;                                  // 3,000 rows added in f32, in another order

struct Case {
  Tensor x, weight, bias;
};

// With and without weight and bias, contiguous and strided.
std::vector<Case> cases(DType dtype) {
  const Tensor w = noise({7}, 2, dtype), b = noise({7}, 3, dtype), x = noise({5, 3, 7}, 1, dtype);
  return {
      {x, w, b},
      {x, w, {}},
      {x, {}, b},
      {x, {}, {}},
      {transpose(noise({7, 6}, 1, dtype)), slice(noise({14}, 2, dtype), 0, 0, 14, 2), expand(slice(b, 0, 0, 1), {7})},
      {expand(noise({7}, 1, dtype), {4, 7}), w, b},
      {noise({33, 1000}, 1, dtype) * 3.0 + 5.0, noise({1000}, 2, dtype), noise({1000}, 3, dtype)},
      {noise({1}, 1, dtype), noise({1}, 2, dtype), noise({1}, 3, dtype)},
      {noise({7}, 1, dtype), w, b}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layer_norm_test)

BOOST_AUTO_TEST_CASE(equals_the_definition) {
  for (DType dtype : {f32, f64})
    for (const Case& c : cases(dtype)) {
      check_close(layer_norm(c.x, c.weight, c.bias), layer_norm_reference(c.x, c.weight, c.bias), rounding(dtype));
      check_close(rms_norm(c.x, c.weight, c.bias), rms_norm_reference(c.x, c.weight, c.bias), rounding(dtype));
    }
}

BOOST_AUTO_TEST_CASE(rows_have_mean_zero_and_variance_one_whatever_their_scale_was) {
  const Tensor x = noise({9, 65}), y = layer_norm(x, {}, {}, 0);
  check_close(mean(y, {-1}), zeros({9}, f64), 1e-14);
  check_close(mean(y * y, {-1}), ones({9}, f64), 1e-14);
  check_close(layer_norm(x * 8.0 - 3.0, {}, {}, 0), y, 1e-13);
  check_close(rms_norm(x * 8.0, {}, {}, 0), rms_norm(x, {}, {}, 0), 1e-13);
}

BOOST_AUTO_TEST_CASE(a_large_common_offset_costs_no_digits) {
  // Whole numbers: moving them by 2^16 is exact in f32, so the result must not change either.
  const Tensor x = cast(cast(noise({5, 64}) * 16.0, i32), f32);
  check_close(layer_norm(x + 65536.0, {}, {}), layer_norm(x, {}, {}), 1e-4);
}

BOOST_AUTO_TEST_CASE(statistics_are_kept_one_per_row) {
  const Tensor x = noise({2, 3, 7});
  const Normed out = add_norm(Centre::mean, x, {}, {}, {}, 1e-5);
  check_close(out.rows.mean, flatten(mean(x, {-1})), 1e-15);
  BOOST_TEST(out.rows.scale.shape() == Shape{6});
  BOOST_TEST(!add_norm(Centre::none, x, {}, {}, {}, 1e-6).rows.mean.defined());
}

BOOST_AUTO_TEST_CASE(gradients_are_right) {
  const std::vector<Tensor> inputs = {noise({2, 3, 5}), noise({5}, 2), noise({5}, 3)};
  gradcheck([](auto& x) { return layer_norm(x[0], x[1], x[2]); }, inputs);
  gradcheck([](auto& x) { return rms_norm(x[0], x[1], x[2]); }, inputs);
  gradcheck([](auto& x) { return layer_norm(x[0], {}, {}); }, {noise({3, 5})});
  gradcheck([](auto& x) { return layer_norm(x[0], x[1], {}); }, {noise({5}), noise({5}, 2)});
  gradcheck([](auto& x) { return layer_norm(x[0], {}, x[1]); }, {noise({3, 5}), noise({5}, 2)});
  gradcheck([](auto& x) { return rms_norm(x[0], {}, {}); }, {noise({3, 5})});
  gradcheck([](auto& x) { return rms_norm(x[0], {}, x[1]); }, {noise({3, 5}), noise({5}, 2)});
  gradcheck([](auto& x) { return layer_norm(x[0], x[1], x[2], 0.5); }, {noise({3, 1}), noise({1}, 2), noise({1}, 3)});
  gradcheck([](auto& x) { return layer_norm(x[0], x[1], x[2]); }, {noise({0, 5}), noise({5}, 2), noise({5}, 3)});
  const Tensor constant = noise({3, 5}, 4);  // only what is wanted
  gradcheck([&](auto& x) { return layer_norm(cast(constant, x[0].dtype()), x[0], x[1]); }, {noise({5}), noise({5}, 2)});
}

BOOST_AUTO_TEST_CASE(the_sum_and_its_norm_equal_two_ops) {
  for (DType dtype : {f32, f64})
    for (const Case& c : cases(dtype)) {
      const Tensor r = noise(c.x.shape(), 9, dtype);
      const Normed layer = add_norm(Centre::mean, c.x, r, c.weight, c.bias, 1e-5);
      const Normed rms = add_norm(Centre::none, r, c.x, c.weight, c.bias, 1e-6);
      check_close(layer.sum, c.x + r, 0);
      check_close(rms.sum, c.x + r, 0);
      check_close(layer.y, layer_norm_reference(c.x + r, c.weight, c.bias), rounding(dtype));
      check_close(rms.y, rms_norm_reference(c.x + r, c.weight, c.bias), rounding(dtype));
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_the_sum_and_its_norm_are_right) {
  const std::vector<Tensor> inputs = {noise({2, 3, 5}), noise({2, 3, 5}, 4), noise({5}, 2), noise({5}, 3)};
  const auto layer = [](const Variable& x, const Variable& residual, const Variable& weight, const Variable& bias) {
    return add_norm(Centre::mean, x, residual, weight, bias, 1e-5);
  };
  const auto rms = [](const Variable& x, const Variable& residual, const Variable& weight, const Variable& bias) {
    return add_norm(Centre::none, x, residual, weight, bias, 1e-6);
  };
  const auto both = [](const SumAndNorm& out) { return out.sum * 0.5 + out.y; };
  gradcheck([&](auto& x) { return both(layer(x[0], x[1], x[2], x[3])); }, inputs);
  gradcheck([&](auto& x) { return both(rms(x[0], x[1], x[2], {})); }, {inputs[0], inputs[1], inputs[2]});
  gradcheck([&](auto& x) { return both(layer(x[0], x[0], {}, {})); }, {inputs[0]});
  gradcheck([&](auto& x) { return layer(x[0], x[1], x[2], x[3]).y; }, inputs);
  gradcheck([&](auto& x) { return rms(x[0], x[1], {}, {}).y; }, {inputs[0], inputs[1]});
  gradcheck([&](auto& x) { return layer(x[0], x[1], {}, {}).sum; }, {inputs[0], inputs[1]});
  gradcheck([&](auto& x) { return both(layer(x[0], {}, x[1], x[2])); }, {inputs[0], inputs[2], inputs[3]});
  gradcheck([&](auto& x) { return both(rms(x[0], {}, x[1], {})); }, {inputs[0], inputs[2]});
}

BOOST_AUTO_TEST_CASE(modules_add_and_norm) {
  LayerNorm layer(5);
  RmsNorm rms(5);
  Context ctx;
  const Tensor x = noise({3, 5}, 1, f32), r = noise({3, 5}, 2, f32);
  check_close(layer.add(x, r, ctx).y.value(), layer.forward(x + r, ctx).value(), 0);
  check_close(rms.add(x, r, ctx).y.value(), rms.forward(x + r, ctx).value(), 0);
}

BOOST_AUTO_TEST_CASE(many_rows_are_added_up_block_by_block) {
  const long rows = 3001, C = 33;
  const Tensor x = noise({rows, C}, 1, f32), dy = noise({rows, C}, 2, f32), w = noise({C}, 3, f32);
  const Normed out = add_norm(Centre::mean, x, {}, w, {}, 1e-5);
  const NormGrads grads = norm_backward(Centre::mean, dy, x, w, out.rows);
  check_close(grads.dweight, sum(dy * layer_norm(x, {}, {}), {0}), kColumnSums);
  check_close(grads.dbias, sum(dy, {0}), kColumnSums);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  for (DType dtype : {f32, f64})
    for (Centre centre : {Centre::mean, Centre::none}) {
      const Tensor x = noise({2501, 37}, 1, dtype), dy = noise({2501, 37}, 2, dtype), w = noise({37}, 3, dtype);
      std::vector<Tensor> first;
      for (int count : {1, 2, 3})
        on_threads(count, [&] {
          const Normed out = add_norm(centre, x, {}, w, w, 1e-5);
          const NormGrads g = norm_backward(centre, dy, x, w, out.rows);
          const std::vector<Tensor> all = {out.y, g.dx, g.dweight, g.dbias};
          if (first.empty()) first = all;
          for (size_t i = 0; i < all.size(); i++) BOOST_TEST(same_bits(all[i], first[i]));
        });
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_legal) {
  BOOST_TEST(layer_norm(zeros({0, 4}), ones({4}), {}).shape() == (Shape{0, 4}));
  BOOST_TEST(layer_norm(zeros({3, 0}), ones({0}), {}).shape() == (Shape{3, 0}));
  const NormStatistics none{zeros({0}), zeros({0})};
  check_close(norm_backward(Centre::mean, zeros({0, 4}), zeros({0, 4}), {}, none).dbias, zeros({4}), 0);
}

BOOST_AUTO_TEST_CASE(nan_stays_in_its_row) {
  const Tensor y = rms_norm(tensor({NAN, 1, 1, 1}, {2, 2}, f64), {}, {}, 0);
  check_close(y, tensor({NAN, NAN, 1, 1}, {2, 2}, f64), 1e-15);
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  const Tensor x = zeros({2, 3});
  BOOST_TEST(error_of([&] { layer_norm(x, zeros({2}), {}); }) ==
             "layer_norm: x is (2, 3) and the weight is (2,); with x (..., C) the weight must be (C,)");
  BOOST_TEST(error_of([&] {
               rms_norm(x, {}, zeros({3, 1}));
             }) == "rms_norm: x is (2, 3) and the bias is (3, 1); with x (..., C) the bias must be (C,)");
  BOOST_TEST(error_of([&] { layer_norm(scalar(1), {}, {}); }) ==
             "layer_norm: x is (); it must have at least one axis: (..., C)");
  BOOST_TEST(error_of([&] { layer_norm(cast(x, i64), {}, {}); }) ==
             "layer_norm: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(error_of([&] {
               norm_backward(Centre::mean, zeros({3, 2}), x, {}, {zeros({2}), zeros({2})});
             }) == "layer_norm: dy is (3, 2) and x is (2, 3); they must be equal");
  BOOST_TEST(error_of([&] {
               norm_backward(Centre::mean, x, x, {}, {zeros({3}), zeros({2})});
             }) == "layer_norm: x is (2, 3) and a statistic is (3,); they must be those of add_norm, (2,)");
  error_of([&] { layer_norm(Tensor(), {}, {}); });
  error_of([&] { layer_norm(x, zeros({3}, f64), {}); });
}

BOOST_AUTO_TEST_CASE(modules_begin_with_ones_and_zeros_and_do_not_decay) {
  Context ctx;
  LayerNorm layer(7);
  RmsNorm rms(7), with_bias(7, {.bias = true});
  const Tensor x = noise({4, 7}, 1, f32);
  check_close(layer.forward(x, ctx).value(), layer_norm(x, {}, {}), 0);
  check_close(rms.forward(x, ctx).value(), rms_norm(x, {}, {}), 0);
  BOOST_TEST(layer.parameters().size() == 2u);
  BOOST_TEST(rms.parameters().size() == 1u);
  BOOST_TEST(with_bias.parameters().size() == 2u);
  BOOST_TEST(layer.parameters()[0]->path == "weight");
  BOOST_TEST(layer.parameters()[1]->path == "bias");
  for (Parameter* p : layer.parameters()) BOOST_TEST(!p->decay);
}

BOOST_AUTO_TEST_CASE(a_bad_epsilon_is_refused) {
  BOOST_TEST(error_of([] { layer_norm(zeros({2}), Tensor(), Tensor(), -1); }) ==
             "layer_norm: epsilon is -1; it must be 0 or more, such as 1e-5");
}

BOOST_AUTO_TEST_SUITE_END()
