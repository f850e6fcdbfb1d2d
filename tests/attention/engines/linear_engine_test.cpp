// Linear attention: chunks against the dense definition, the definition against loops over pairs, and its State.
#include "attention/engines/linear_engine.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

constexpr double kRounding = 1e-12;  // f64, sums of some hundred products

struct Sizes {
  long B = 2, H = 2, Hk = 2, T = 7, S = 7, F = 4, Dv = 3;
};

std::vector<Tensor> tensors(const Sizes& z, DType dtype = f64) {
  return {noise({z.B, z.H, z.T, z.F}, 1, dtype), noise({z.B, z.Hk, z.S, z.F}, 2, dtype),
          noise({z.B, z.Hk, z.S, z.Dv}, 3, dtype)};
}

LinearInputs inputs(const std::vector<Variable>& x) { return {elu_features(x[0]), elu_features(x[1]), x[2]}; }
LinearInputs inputs(const std::vector<Tensor>& x) { return inputs(std::vector<Variable>(x.begin(), x.end())); }

using Solver = std::function<Variable(const LinearInputs&, const LinearOptions&)>;
Variable chunked(const LinearInputs& in, const LinearOptions& options) { return linear_attention(in, options); }

// o and the gradients of sum(o * noise)
std::vector<Tensor> results(const Sizes& z, const LinearOptions& options, const Solver& solve, DType dtype = f64) {
  std::vector<Variable> leaves;
  for (const Tensor& x : tensors(z, dtype)) leaves.push_back(Variable::leaf(x));
  const Variable o = solve(inputs(leaves), options);
  std::vector<Tensor> list = {o.value()};
  o.backward(noise(o.shape(), 9, dtype));
  for (const Variable& x : leaves) list.push_back(x.grad());
  return list;
}

void check(const Sizes& z, const LinearOptions& options = {}) {
  const auto ours = results(z, options, chunked), want = results(z, options, linear_attention_reference);
  for (size_t i = 0; i < ours.size(); i++) BOOST_TEST_CONTEXT("T " << z.T << " S " << z.S << " result " << i)
  check_close(ours[i], want[i], kRounding);
}

Tensor tokens(const Tensor& x, long begin, long end) { return contiguous(slice(x, 2, begin, end)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(linear_engine_test)

BOOST_AUTO_TEST_CASE(the_definition_is_a_weighted_mean_over_the_visible_pairs) {
  const Sizes z{.H = 4, .T = 5, .S = 7};
  const std::vector<Tensor> x = tensors(z);
  const Tensor lengths = tensor({7, 4}, i64);
  auto feature = [](double value) { return value > 0 ? value + 1 : std::exp(value); };
  for (bool causal : {false, true}) {
    const Tensor o =
        linear_attention_reference(inputs(x), {.causal = causal, .lengths = lengths, .epsilon = 0.1}).value();
    for_each_index(o.shape(), [&](const Shape& at) {
      double above = 0, below = 0.1;
      for (long j = 0; j < long(lengths.at({at[0]})) && (!causal || j <= at[2] + 2); j++) {
        double weight = 0;
        for (long f = 0; f < z.F; f++)
          weight += feature(x[0].at({at[0], at[1], at[2], f})) * feature(x[1].at({at[0], at[1] / 2, j, f}));
        above += weight * x[2].at({at[0], at[1] / 2, j, at[3]}), below += weight;
      }
      BOOST_TEST(std::abs(o.at(at) - above / below) < kRounding);
    });
  }
}

BOOST_AUTO_TEST_CASE(chunks_equal_the_definition) {
  for (bool causal : {false, true}) {
    for (long n : {1, 2, 63, 64, 65, 130}) check({.T = n, .S = n}, {.causal = causal});
    for (auto [T, S] : {std::pair{1L, 70L}, {70, 3}, {65, 66}, {66, 65}}) check({.T = T, .S = S}, {.causal = causal});
    check({.B = 3, .H = 6, .Hk = 2, .T = 70, .S = 70, .F = 1, .Dv = 1}, {.causal = causal});
    check({.T = 70, .S = 70}, {.causal = causal, .lengths = tensor({70, 33}, i64), .epsilon = 0.5});
  }
}

BOOST_AUTO_TEST_CASE(every_chunk_gives_the_same) {
  for (long chunk : {1, 2, 7, 33, 1000}) check({.T = 33, .S = 33}, {.causal = true, .chunk = chunk});
}

BOOST_AUTO_TEST_CASE(gradcheck_agrees) {
  for (bool causal : {false, true}) {
    const LinearOptions options{.causal = causal, .lengths = tensor({6, 3}, i64), .epsilon = 0.1, .chunk = 2};
    for (const Solver& solve : {Solver(chunked), Solver(linear_attention_reference)})
      gradcheck([&](auto& x) { return solve(inputs(x), options); }, tensors({.H = 4, .T = 5, .S = 6}));
  }
  gradcheck([](auto& x) { return elu_features(x[0]); }, {noise({20}, 1)});
  gradcheck([](auto& x) { return relu_features(x[0]); }, {noise({20}, 1)});
}

BOOST_AUTO_TEST_CASE(features_are_positive_and_keep_small_numbers) {
  const Tensor x = tensor({-80, -20, -1, 0, 2, 1e30});
  check_close(elu_features(x).value() /
                  tensor({float(std::exp(-80.)), float(std::exp(-20.)), float(std::exp(-1.)), 1, 3, 1e30}),
              ones({6}), 1e-5);
  const Variable zero = Variable::leaf(zeros({1}));
  elu_features(zero).backward(ones({1}));
  BOOST_TEST(zero.grad().item() == 1);  // from both sides
  check_close(relu_features(x).value(), tensor({0.001, 0.001, 0.001, 0.001, 2.001, 1e30}), 1e-6);
}

BOOST_AUTO_TEST_CASE(a_query_that_sees_nothing_is_zero) {
  const auto all = results({.T = 9, .S = 4}, {.causal = true}, chunked);
  check_close(tokens(all[0], 0, 5), zeros({2, 2, 5, 3}, f64), 0);
  check_close(tokens(all[1], 0, 5), zeros({2, 2, 5, 4}, f64), 0);
  for (bool causal : {false, true}) {
    const LinearOptions nobody{.causal = causal, .lengths = tensor({7, 0}, i64)};
    check_close(slice(results({}, nobody, chunked)[0], 0, 1, 2), zeros({1, 2, 7, 3}, f64), 0);
    for (auto [T, S] : {std::pair{0L, 3L}, {3, 0}, {0, 0}})
      check_close(linear_attention(inputs(tensors({.T = T, .S = S})), {.causal = causal}).value(),
                  zeros({2, 2, T, 3}, f64), 0);
  }
}

BOOST_AUTO_TEST_CASE(without_epsilon_features_of_any_size_give_the_same) {
  const std::vector<Tensor> x = tensors({.T = 70, .S = 70}, f32);
  for (bool causal : {false, true})
    for (const Solver& solve : {Solver(chunked), Solver(linear_attention_reference)}) {
      const auto scaled = [&](double q_scale, double k_scale) {
        std::vector<Variable> leaves;
        for (const Tensor& each : x) leaves.push_back(Variable::leaf(each));
        LinearInputs in = inputs(leaves);
        in.q = in.q * q_scale, in.k = in.k * k_scale;
        const Variable o = solve(in, {.causal = causal, .epsilon = 0});
        o.backward(noise(o.shape(), 9, f32));
        return std::vector<Tensor>{o.value(), leaves[0].grad(), leaves[1].grad(), leaves[2].grad()};
      };
      const auto plain = scaled(1, 1), small_queries = scaled(1e-20, 1), small_keys = scaled(1, 1e-20);
      for (size_t i = 0; i < plain.size(); i++) {
        check_close(small_queries[i], plain[i], 1e-4);  // f32: cancelling sums in the gradients
        check_close(small_keys[i], plain[i], 1e-4);
      }
    }
}

BOOST_AUTO_TEST_CASE(without_epsilon_a_denominator_of_zero_gives_zeros_and_no_gradient) {
  for (const Solver& solve : {Solver(chunked), Solver(linear_attention_reference)}) {
    const auto early = results({.T = 9, .S = 4}, {.causal = true, .epsilon = 0}, solve);  // five queries see no key
    check_close(tokens(early[0], 0, 5), zeros({2, 2, 5, 3}, f64), 0);
    check_close(tokens(early[1], 0, 5), zeros({2, 2, 5, 4}, f64), 0);
    for (bool causal : {false, true}) {
      const LinearOptions nobody{.causal = causal, .lengths = tensor({7, 0}, i64), .epsilon = 0};
      for (const Tensor& each : results({}, nobody, solve))
        check_close(slice(each, 0, 1, 2), zeros(slice(each, 0, 1, 2).shape(), f64), 0);
      for (double least : {0.0, 1e-40}) {  // 1 / 1e-40 is infinite in f32
        const Variable q = Variable::leaf(full({1, 1, 2, 1}, least)), k = Variable::leaf(ones({1, 1, 2, 1}));
        const Variable o = solve({q, k, ones({1, 1, 2, 3})}, {.causal = causal, .epsilon = 0});
        sum(o).backward();
        check_close(o.value(), zeros({1, 1, 2, 3}), 0);
        check_close(q.grad(), zeros({1, 1, 2, 1}), 0);
        check_close(k.grad(), zeros({1, 1, 2, 1}), 0);
      }
    }
  }
  gradcheck([](auto& x) { return linear_attention(inputs(x), {.causal = true, .epsilon = 0}); },
            tensors({.T = 7, .S = 5}));
}

BOOST_AUTO_TEST_CASE(equal_values_come_back) {
  std::vector<Tensor> x = tensors({.T = 70, .S = 70});
  fill(x[2], 3);
  for (bool causal : {false, true})
    check_close(linear_attention(inputs(x), {.causal = causal, .epsilon = 1e-30}).value(), full({2, 2, 70, 3}, 3, f64),
                kRounding);
}

BOOST_AUTO_TEST_CASE(a_later_token_changes_no_bit_before_it) {
  const std::vector<Tensor> x = tensors({.T = 150, .S = 150}, f32);
  const Tensor before = linear_attention(inputs(x), {.causal = true}).value();
  for (long t : {149, 128, 64, 63, 1}) {
    std::vector<Tensor> other = {clone(x[0]), clone(x[1]), clone(x[2])};
    for (const Tensor& each : other) fill(slice(each, 2, t, 150), 3);
    BOOST_TEST(
        same_bits(tokens(linear_attention(inputs(other), {.causal = true}).value(), 0, t), tokens(before, 0, t)));
  }
}

BOOST_AUTO_TEST_CASE(a_state_goes_on_where_it_ended) {
  const long n = 150;
  const std::vector<Tensor> x = tensors({.H = 4, .T = n, .S = n});
  const Tensor whole = linear_attention(inputs(x), {.causal = true}).value();
  for (const std::vector<long>& sizes : {std::vector<long>{1}, {1, 3, 0, 70}, {n}}) {
    LinearState state;
    size_t next = 0;
    for (long at = 0, end; at < n; at = end) {
      end = std::min(n, at + sizes[next++ % sizes.size()]);
      const std::vector<Tensor> now = {tokens(x[0], at, end), tokens(x[1], at, end), tokens(x[2], at, end)};
      check_close(linear_attention(inputs(now), {.causal = true}, &state).value(), tokens(whole, at, end), kRounding);
      BOOST_TEST(state.sums.shape() == (Shape{2, 2, 4, 4}));  // whatever came before
    }
  }
}

BOOST_AUTO_TEST_CASE(lengths_may_have_strides) {
  const std::vector<Tensor> x = tensors({});
  const Tensor strided = select(tensor({6, 1, 3, 2}, {2, 2}, i64), 1, 0);  // 6, 3
  for (const Solver& solve : {Solver(chunked), Solver(linear_attention_reference)})
    BOOST_TEST(same_bits(solve(inputs(x), {.lengths = strided}).value(),
                         solve(inputs(x), {.lengths = tensor({6, 3}, i64)}).value()));
}

BOOST_AUTO_TEST_CASE(padding_may_be_nan) {
  const Tensor lengths = tensor({3, 3}, i64);
  for (bool causal : {false, true})
    for (const Solver& solve : {Solver(chunked), Solver(linear_attention_reference)}) {
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

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  auto run = [] { return results({.B = 3, .H = 4, .Hk = 2, .T = 200, .S = 200}, {.causal = true}, chunked, f32); };
  const auto first = run();
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const auto again = run();
      for (size_t i = 0; i < first.size(); i++) BOOST_TEST(same_bits(contiguous(again[i]), contiguous(first[i])));
    });
}

BOOST_AUTO_TEST_CASE(memory_grows_linearly) {
  auto peak = [](long n) {
    release_cache();
    reset_peak();
    const size_t before = memory_stats().live;
    results({.B = 1, .T = n, .S = n, .F = 16, .Dv = 16}, {.causal = true}, chunked, f32);
    return double(memory_stats().peak - before);
  };
  BOOST_TEST(peak(2048) < 2.2 * peak(1024));
}

BOOST_AUTO_TEST_CASE(errors_tell_what_is_wrong) {
  const Tensor q = ones({1, 2, 4, 8}), v = ones({1, 2, 4, 3});
  BOOST_TEST(error_of([&] {
               linear_attention({q, v, v});
             }) ==
             "linear_attention: q is (1, 2, 4, 8), k is (1, 2, 4, 3) and v is (1, 2, 4, 3); they must be (B, H, T, F), "
             "(B, Hk, S, F) and (B, Hk, S, Dv), and Hk must divide H");
  BOOST_TEST(error_of([&] {
               linear_attention({q, q, v}, {.chunk = 0});
             }) == "linear_attention: chunk is 0 and epsilon is 1e-06; the rule is chunk >= 1 and epsilon >= 0");
  for (double epsilon : {-1.0, double(NAN)})
    BOOST_TEST(error_of([&] {
                 linear_attention({q, q, v}, {.epsilon = epsilon});
               }).find("epsilon >= 0") != std::string::npos);
  BOOST_TEST(error_of([&] {
               linear_attention({q, q, v}, {.lengths = tensor({4, 4}, i64)});
             }) == "linear_attention: lengths is (2,) and k is (1, 2, 4, 8); it must be i64 (B,)");
  LinearState state;
  BOOST_TEST(
      error_of([&] {
        linear_attention({q, q, v}, {}, &state);
      }) ==
      "linear_attention: q is (1, 2, 4, 8) and k is (1, 2, 4, 8), not causal; a state goes on with new tokens only: "
      "causal, as many queries as keys, without lengths");
  state.sums = zeros({1, 2, 8, 9});
  BOOST_TEST(
      error_of([&] {
        linear_attention({q, q, v}, {.causal = true}, &state);
      }) ==
      "linear_attention: the state holds (1, 2, 8, 9) and the tokens make (1, 2, 8, 4); it belongs to other sizes. "
      "Start a new one");
}

BOOST_AUTO_TEST_SUITE_END()
