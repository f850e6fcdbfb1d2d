#include "nn/dropout.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

const RandomKey kKey{.seed = 1, .step = 2, .site = 3, .sample = 4};

class Net : public Module {
 public:
  Net() : a(child<Dropout>("a", 0.5)), b(child<Dropout>("b", 0.5)) {}
  Dropout &a, &b;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(dropout_test)

BOOST_AUTO_TEST_CASE(draws_exactly_what_keep_mask_draws) {
  for (DType dtype : {f32, f64})
    for (double p : {0.0, 0.1, 0.5, 0.9})
      for (const Shape& shape : {Shape{1, 1, 1}, {2, 3, 19}, {3, 5, 8}, {4, 33, 65}}) {
        const Tensor x = ones(shape, dtype), keep = keep_mask(shape, kKey, p);
        BOOST_TEST(same_bits(dropout(x, p, kKey), cast(keep, dtype) * (1 / (1 - p))));
        BOOST_TEST(same_bits(dropout(x, p, kKey), dropout_reference(x, p, kKey)));
      }
}

BOOST_AUTO_TEST_CASE(the_first_axis_is_the_samples_and_the_last_the_channels) {
  const Tensor x = noise({24}, 1, f32);
  auto same = [&](const Shape& shape, const Shape& three) {
    return same_bits(flatten(dropout(reshape(x, shape), 0.5, kKey)), flatten(dropout(reshape(x, three), 0.5, kKey)));
  };
  BOOST_TEST(same({4, 6}, {4, 1, 6}));
  BOOST_TEST(same({24}, {24, 1, 1}));
  BOOST_TEST(same({2, 2, 2, 3}, {2, 4, 3}));
  BOOST_TEST(dropout(scalar(1), 0.5, kKey).shape() == Shape{});
}

BOOST_AUTO_TEST_CASE(kept_elements_are_scaled_and_dropped_ones_are_zero_even_if_they_were_nan) {
  const Tensor x = full({2, 3, 50}, NAN), keep = keep_mask(x.shape(), kKey, 0.5), y = dropout(x, 0.5, kKey);
  for_each_index(x.shape(), [&](const Shape& i) { BOOST_TEST((keep.at(i) ? std::isnan(y.at(i)) : y.at(i) == 0)); });
  check_close(dropout(noise({3, 4, 5}), 0, kKey), noise({3, 4, 5}), 0);
}

BOOST_AUTO_TEST_CASE(a_micro_batch_draws_its_part_of_the_batch) {
  const Tensor x = noise({8, 5, 21});
  RandomKey later = kKey;
  later.sample += 4;
  BOOST_TEST(same_bits(slice(dropout(x, 0.4, kKey), 0, 4, 8), dropout(slice(x, 0, 4, 8), 0.4, later)));
}

BOOST_AUTO_TEST_CASE(strided_and_empty_inputs_work) {
  const Tensor x = transpose(noise({3, 7, 4})), wide = expand(noise({1, 1, 9}), {2, 3, 9});
  BOOST_TEST(same_bits(dropout(x, 0.3, kKey), dropout(contiguous(x), 0.3, kKey)));
  BOOST_TEST(same_bits(dropout(wide, 0.3, kKey), dropout(contiguous(wide), 0.3, kKey)));
  for (const Shape& shape : {Shape{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0}})
    BOOST_TEST(dropout(zeros(shape), 0.3, kKey).shape() == shape);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const Tensor x = noise({3, 501, 37}, 1, f32), want = dropout_reference(x, 0.2, kKey);
  for (int count : {1, 2, 3}) on_threads(count, [&] { BOOST_TEST(same_bits(dropout(x, 0.2, kKey), want)); });
}

BOOST_AUTO_TEST_CASE(gradient_goes_through_the_kept_elements) {
  gradcheck([](auto& x) { return dropout(x[0], 0.4, kKey); }, {noise({2, 3, 11})});
  gradcheck([](auto& x) { return dropout(x[0], 0.4, kKey); }, {noise({5})});
  gradcheck([](auto& x) { return dropout(x[0], 0.4, kKey); }, {noise({2, 0, 3})});
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  BOOST_TEST(error_of([] { dropout(ones({2}), 1, {}); }) == "dropout: p is 1; the rule is 0 <= p < 1");
  BOOST_TEST(error_of([] { dropout(ones({2}), -0.5, {}); }) == "dropout: p is -0.5; the rule is 0 <= p < 1");
  BOOST_TEST(error_of([] { Dropout layer(2); }) == "Dropout: p is 2; the rule is 0 <= p < 1");
  error_of([] { dropout(ones({2}), NAN, {}); });
  error_of([] { dropout(Tensor(), 0.5, {}); });
  BOOST_TEST(error_of([] { dropout(ones({2}, i64), 0.5, {}); }) ==
             "dropout: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
}

BOOST_AUTO_TEST_CASE(the_module_drops_in_training_only_and_differently_each_time) {
  Net net;
  Context ctx;
  const Tensor x = noise({2, 3, 16}, 1, f32);
  BOOST_TEST(same_bits(net.a.forward(x, ctx).value(), x));
  ctx.train = true;
  ctx.begin(5, 10);
  const Tensor first = net.a.forward(x, ctx).value(), second = net.a.forward(x, ctx).value();
  BOOST_TEST(!same_bits(first, second));
  BOOST_TEST(!same_bits(first, net.b.forward(x, ctx).value()));
  ctx.begin(5, 10);
  BOOST_TEST(same_bits(net.a.forward(x, ctx).value(), first));
  ctx.begin(6, 10);
  BOOST_TEST(!same_bits(net.a.forward(x, ctx).value(), first));
}

BOOST_AUTO_TEST_SUITE_END()
