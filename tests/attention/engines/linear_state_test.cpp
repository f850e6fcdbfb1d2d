// Linear attention in time: what a later token changes, a State that goes on, and a source that is added up once.
#include <cmath>

#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/attention/engines/linear_case.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// The same with other tokens from t on
std::vector<Tensor> changed(const std::vector<Tensor>& x, long t, double value) {
  std::vector<Tensor> other;
  for (const Tensor& each : x) {
    other.push_back(clone(each));
    fill(slice(other.back(), 2, t, each.size(2)), value);
  }
  return other;
}

// o of x, token by token in chunks of these sizes, again and again
Tensor in_chunks(const std::vector<Tensor>& x, const LinearOptions& options, const std::vector<long>& sizes) {
  const long n = x[0].size(2);
  const Tensor o = zeros({x[0].size(0), x[0].size(1), n, x[2].size(3)}, x[0].dtype());
  LinearState state;
  size_t next = 0;
  for (long at = 0, end; at < n; at = end) {
    end = std::min(n, at + sizes[next++ % sizes.size()]);
    LinearOptions now = options;
    if (now.segments.defined()) now.segments = slice(now.segments, 1, 0, end);
    copy_into(slice(o, 2, at, end), linear_attention(inputs(tokens(x, at, end)), now, &state).value());
    BOOST_TEST(state.length == end);
    BOOST_TEST(state.sums.shape() == (Shape{2, 2, 4, 4}));  // whatever came before
  }
  return o;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(linear_state_test)

BOOST_AUTO_TEST_CASE(a_later_token_changes_no_bit_before_it) {
  for (const LinearSizes& z : {LinearSizes{.T = 150, .S = 150, .F = 16, .Dv = 16},
                               {.T = 150, .S = 150},
                               {.B = 1, .H = 1, .Hk = 1, .T = 3000, .S = 3000}}) {
    const std::vector<Tensor> x = tensors(z, f32);
    const Tensor before = linear_attention(inputs(x), {.causal = true}).value();
    for (long t : {149, 128, 100, 64, 63, 1})
      for (double value : {3.0, double(NAN), double(INFINITY)}) {
        const Tensor o = linear_attention(inputs(changed(x, t, value)), {.causal = true}).value();
        BOOST_TEST(same_bits(tokens(o, 0, t), tokens(before, 0, t)));
      }
  }
}

BOOST_AUTO_TEST_CASE(a_later_token_changes_no_bit_of_the_gradients_before_it) {
  const std::vector<Tensor> x = tensors({.T = 150, .S = 150, .F = 16, .Dv = 16}, f32);
  for (long t : {149, 128, 100, 64, 63, 1}) {
    const Tensor dy = noise({2, 2, 150, 16}, 4, f32);
    fill(slice(dy, 2, t, 150), 0);
    const auto want = results(x, {.causal = true}, fused, dy);
    const auto got = results(changed(x, t, 3), {.causal = true}, fused, dy);
    for (size_t i = 0; i < want.size(); i++) BOOST_TEST(same_bits(tokens(got[i], 0, t), tokens(want[i], 0, t)));
  }
}

BOOST_AUTO_TEST_CASE(another_segment_may_be_nan) {
  const std::vector<Tensor> x = tensors({.T = 150, .S = 150}, f32);
  for (bool causal : {false, true}) {
    const LinearOptions options{.causal = causal, .segments = runs({{70, 30, 50}, {100, 50}}, 150)};
    const Tensor want = linear_attention(inputs(x), options).value();
    std::vector<Tensor> other = changed(x, 100, NAN);
    BOOST_TEST(same_bits(tokens(linear_attention(inputs(other), options).value(), 0, 100), tokens(want, 0, 100)));
  }
}

BOOST_AUTO_TEST_CASE(padding_may_be_nan) {
  const Tensor lengths = tensor({3, 3}, i64);
  for (bool causal : {false, true})
    for (const LinearSolver& solve : {LinearSolver(fused), LinearSolver(linear_attention_reference)}) {
      std::vector<Variable> good, bad;
      for (const Tensor& t : tensors({})) good.push_back(Variable::leaf(t)), bad.push_back(Variable::leaf(clone(t)));
      for (size_t i : {1, 2}) fill(slice(bad[i].value(), 2, 3, 7), NAN);
      const auto run = [&](const std::vector<Variable>& in) {
        const Variable o = solve(inputs(in), {.causal = causal, .lengths = lengths});
        sum(o).backward();
        return o.value();
      };
      BOOST_TEST(same_bits(run(bad), run(good)));
      for (const size_t i : {0, 1, 2}) {
        const long end = i == 0 ? 7 : 3;  // of padding's own gradients nobody asks
        check_close(slice(bad[i].grad(), 2, 0, end), slice(good[i].grad(), 2, 0, end), 0);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_state_goes_on_where_it_ended) {
  const long n = 150;
  const std::vector<Tensor> x = tensors({.H = 4, .T = n, .S = n});
  for (const Tensor& lengths : {Tensor(), tensor({150, 66}, i64)})
    for (const Tensor& segments : {Tensor(), runs({{150}, {1}}, n), runs({{64, 3}, {70}}, n)}) {
      const LinearOptions options{.causal = true, .lengths = lengths, .segments = segments};
      const Tensor whole = linear_attention(inputs(x), options).value();
      for (const std::vector<long>& sizes : {std::vector<long>{1}, {1, 3, 0, 70}, {4, 5, 64}, {n}})
        check_close(in_chunks(x, options, sizes), whole, kRounding);
    }
}

BOOST_AUTO_TEST_CASE(new_tokens_have_gradients_and_old_ones_have_none) {
  const std::vector<Tensor> x = tensors({.H = 4, .T = 90, .S = 90});
  for (long split : {3, 86, 89}) {  // pieces, or few tokens at a time
    LinearState state;
    linear_attention(inputs(tokens(x, 0, split)), {.causal = true}, &state);
    const Tensor before = clone(state.sums);
    const auto ours = results(tokens(x, split, 90), {.causal = true}, [&](const auto& in, const auto& options) {
      return linear_attention(in, options, &state);
    });
    BOOST_TEST(!same_bits(state.sums, before));
    const Tensor dy = zeros({2, 4, 90, 3}, f64);
    copy_into(slice(dy, 2, split, 90), noise({2, 4, 90 - split, 3}, 9));
    const auto whole = results(x, {.causal = true}, linear_attention_reference, dy);
    for (size_t i = 0; i < whole.size(); i++) check_close(ours[i], tokens(whole[i], split, 90), kRounding);
  }
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_state_goes_its_own_way) {
  const std::vector<Tensor> x = tensors({.T = 3, .S = 3});
  LinearState state;
  linear_attention(inputs(tokens(x, 0, 1)), {.causal = true}, &state);
  LinearState copy = state;
  const Tensor before = clone(copy.sums);
  linear_attention(inputs(tokens(x, 1, 2)), {.causal = true}, &state);
  BOOST_TEST(same_bits(copy.sums, before));
  const void* memory = state.sums.data<double>();
  linear_attention(inputs(tokens(x, 2, 3)), {.causal = true}, &state);
  BOOST_TEST(state.sums.data<double>() == memory);  // nobody else looks at it
}

BOOST_AUTO_TEST_CASE(a_source_is_added_up_once) {
  for (long T : {1, 3, 70}) {
    const std::vector<Tensor> x = tensors({.H = 4, .T = T, .S = 80});
    const LinearInputs in = inputs(x);
    for (const Tensor& lengths : {Tensor(), tensor({80, 33}, i64)}) {
      const LinearState source = linear_state_of(in.k.value(), in.v.value(), lengths);
      BOOST_TEST(source.length == 80);
      const auto ask = [&](const LinearInputs& with, const LinearOptions&) {
        return linear_attention_from(with.q, source);
      };
      const auto want = results(x, {.lengths = lengths}, linear_attention_reference);
      const Variable q = Variable::leaf(x[0]);
      const Variable o = ask({elu_features(q), {}, {}}, {});
      check_close(o.value(), want[0], kRounding);
      o.backward(noise(o.shape(), 9));
      check_close(q.grad(), want[1], kRounding);
    }
  }
}

BOOST_AUTO_TEST_CASE(errors_tell_what_is_wrong) {
  const Tensor q = ones({1, 2, 4, 8}), v = ones({1, 2, 4, 3});
  LinearState state;
  BOOST_TEST(
      error_of([&] {
        linear_attention({q, q, v}, {}, &state);
      }) ==
      "linear_attention: q is (1, 2, 4, 8) and k is (1, 2, 4, 8), not causal; a state goes on with new tokens only: "
      "causal, as many queries as keys");
  BOOST_TEST(error_of([&] { linear_attention_from(q, state); }) ==
             "linear_attention_from: the state is empty; make it by linear_state_of(k, v)");
  linear_attention({q, q, v}, {.causal = true}, &state);
  BOOST_TEST(
      error_of([&] {
        linear_attention({q, q, v}, {.causal = true, .segments = full({1, 4}, 1, i64)}, &state);
      }) ==
      "linear_attention: segments is i64 (1, 4), and there are 4 tokens before and 4 now; it must be i64 (1, 8), "
      "one number per token so far");
  BOOST_TEST(error_of([&] {
               linear_attention({q, q, v}, {.causal = true, .segments = tensor({1, 1, 2, 2, 2, 1, 1, 1}, {1, 8}, i64)},
                                &state);
             }) ==
             "linear_attention: segment 1 of sample 0 begins at position 0 and again at 5; a segment is one run of "
             "tokens. Give the second one another number");
  BOOST_TEST(state.length == 4);
  state.sums = zeros({1, 2, 8, 9});
  BOOST_TEST(
      error_of([&] {
        linear_attention({q, q, v}, {.causal = true}, &state);
      }) ==
      "linear_attention: the state holds (1, 2, 8, 9) and the tokens make (1, 2, 8, 4); it belongs to other sizes. "
      "Start a new one");
}

BOOST_AUTO_TEST_SUITE_END()
