// merge: parts of one attention become the whole.
#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/attention/engines/softmax_case.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

using Merge = SoftmaxOutputs (*)(const std::vector<SoftmaxOutputs>&);

// o, L and the gradients of all parts; o of every second part lies by tokens. A part saw nothing where its L is -inf.
std::vector<Tensor> merged(Merge solve, const Shape& shape, long parts, DType dtype) {
  const Shape rows{shape[0], shape[1], shape[2]}, by_tokens{shape[0], shape[2], shape[1], shape[3]};
  std::vector<Variable> leaves;
  std::vector<SoftmaxOutputs> all;
  for (uint32_t r = 0; r < uint32_t(parts); r++) {
    const Tensor o = r % 2 ? noise(shape, r, dtype) : transpose(noise(by_tokens, r, dtype), 1, 2);
    const Tensor logs = noise(rows, 50 + r, dtype);
    leaves.push_back(Variable::leaf(o));
    leaves.push_back(Variable::leaf(r == 1 && logs.numel() > 0 ? full(rows, -INFINITY, dtype) : logs));
    all.push_back({leaves[leaves.size() - 2], leaves.back()});
  }
  const SoftmaxOutputs whole = solve(all);
  (sum(whole.o * Variable(noise(shape, 90, dtype))) + sum(whole.L * Variable(noise(rows, 91, dtype)))).backward();
  std::vector<Tensor> results = {whole.o.value(), whole.L.value()};
  for (const Variable& leaf : leaves) results.push_back(leaf.grad());
  return results;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax_merge_test)

BOOST_AUTO_TEST_CASE(parts_merge_to_the_whole_with_their_gradients) {
  const SoftmaxCase p{.z = {.T = 9, .S = 9}};
  const auto whole = results(p, f64, softmax_attention);
  const auto merged = results(p, f64, [](const SoftmaxInputs& in, const Visible& v, const SoftmaxOptions& options) {
    std::vector<SoftmaxOutputs> parts;
    for (long part : {0, 1, 2}) {
      Visible some = v;
      Tensor allow = zeros({1, 1, 9, 9}, boolean);
      if (part < 2) fill(slice(allow, 3, part * 4, part ? 9 : 4), 1);
      some.allow = allow;  // the last part sees nothing
      parts.push_back(softmax_attention(in, some, options));
    }
    return merge(parts);
  });
  for (size_t i = 0; i < whole.size(); i++) check_close(merged[i], whole[i], 1e-12);
}

BOOST_AUTO_TEST_CASE(merged_weights_sum_to_one_also_where_logarithms_are_coarse) {
  for (long parts : {2, 3, 4, 7}) {
    const SoftmaxOutputs part{ones({1, 1, 3, 2}), tensor({0, -1e3, -1e5}, {1, 1, 3})};
    const std::vector<SoftmaxOutputs> all(size_t(parts), part);
    // the mean of ones; exp(L_r - L) is 0.003 off
    check_close(merge(all).o.value(), ones({1, 1, 3, 2}), 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(every_number_of_parts_equals_the_definition) {
  for (const Shape& shape : {Shape{2, 3, 5, 7}, {1, 1, 1, 1}, {2, 2, 40, 33}, {1, 2, 0, 4}, {0, 2, 3, 4}})
    for (long parts : {1, 2, 3, 9}) {
      const auto ours = merged(merge, shape, parts, f64), want = merged(merge_reference, shape, parts, f64);
      for (size_t i = 0; i < ours.size(); i++) check_close(ours[i], want[i], 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(gradcheck_agrees) {
  const auto run = [](const std::vector<Variable>& x) { return merge({{x[0], x[1]}, {x[2], x[3]}, {x[4], x[5]}}); };
  std::vector<Tensor> x;
  for (uint32_t r = 0; r < 3; r++) x.push_back(noise({1, 2, 3, 4}, r, f64)), x.push_back(noise({1, 2, 3}, 9 + r, f64));
  gradcheck([&](auto& in) { return run(in).o; }, x);
  gradcheck([&](auto& in) { return run(in).L; }, x);
}

BOOST_AUTO_TEST_CASE(a_query_that_saw_nothing_anywhere_is_zero_and_has_no_gradient) {
  const Variable o = Variable::leaf(noise({1, 1, 2, 3}, 1, f32)), L = Variable::leaf(full({1, 1, 2}, -INFINITY));
  const SoftmaxOutputs whole = merge({{o, L}, {o, L}});
  check_close(whole.o.value(), zeros({1, 1, 2, 3}), 0);
  check_close(whole.L.value(), full({1, 1, 2}, -INFINITY), 0);
  whole.o.backward(full({1, 1, 2, 3}, 1));
  check_close(o.grad(), zeros({1, 1, 2, 3}), 0);
  check_close(L.grad(), zeros({1, 1, 2}), 0);
}

BOOST_AUTO_TEST_CASE(a_logarithm_that_is_not_a_number_is_not_hidden) {
  const Tensor o = ones({1, 1, 2, 3});
  for (bool first : {true, false}) {
    const Tensor bad = tensor({NAN, 0}, {1, 1, 2}), good = zeros({1, 1, 2});
    const SoftmaxOutputs whole = merge({{o, first ? bad : good}, {o, first ? good : bad}});
    BOOST_TEST(std::isnan(whole.o.value().at({0, 0, 0, 0})));
    BOOST_TEST(std::isnan(whole.L.value().at({0, 0, 0})));
    BOOST_TEST(whole.o.value().at({0, 0, 1, 0}) == 1);
  }
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const auto first = merged(merge, {2, 3, 300, 40}, 3, f32);
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const auto again = merged(merge, {2, 3, 300, 40}, 3, f32);
      for (size_t i = 0; i < first.size(); i++) BOOST_TEST(same_bits(contiguous(again[i]), contiguous(first[i])));
    });
}

BOOST_AUTO_TEST_CASE(errors_tell_what_is_wrong) {
  const SoftmaxOutputs part{zeros({1, 2, 3, 4}), zeros({1, 2, 3})}, other{zeros({1, 2, 3, 4}), zeros({1, 2, 4})};
  BOOST_TEST(error_of([] { merge({}); }) == "merge: 0 parts were given; the rule is 1 to 64");
  BOOST_TEST(error_of([&] {
               merge({part, other});
             }) ==
             "merge: the first part's o is (1, 2, 3, 4), and one has o (1, 2, 3, 4) and L (1, 2, 4); all must be (B, "
             "H, T, Dv) and (B, H, T)");
}

BOOST_AUTO_TEST_SUITE_END()
