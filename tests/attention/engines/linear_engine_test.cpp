// Linear attention: the kernels against the dense definition, and the definition against loops over pairs.
#include "attention/engines/linear_engine.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/attention/engines/linear_case.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(linear_engine_test)

BOOST_AUTO_TEST_CASE(the_definition_is_a_weighted_mean_over_the_visible_pairs) {
  const LinearSizes z{.H = 4, .T = 5, .S = 7};
  const std::vector<Tensor> x = tensors(z);
  const Tensor lengths = tensor({7, 4}, i64), segments = runs({{3, 4}, {7}}, 7);
  auto feature = [](double value) { return value > 0 ? value + 1 : std::exp(value); };
  for (bool causal : {false, true}) {
    const Tensor o = linear_attention_reference(
                         inputs(x), {.causal = causal, .lengths = lengths, .segments = segments, .epsilon = 0.1})
                         .value();
    for_each_index(o.shape(), [&](const Shape& at) {
      double above = 0, below = 0.1;
      for (long j = 0; j < long(lengths.at({at[0]})) && (!causal || j <= at[2] + 2); j++) {
        if (segments.at({at[0], j}) != segments.at({at[0], at[2] + 2})) continue;
        double weight = 0;
        for (long f = 0; f < z.F; f++)
          weight += feature(x[0].at({at[0], at[1], at[2], f})) * feature(x[1].at({at[0], at[1] / 2, j, f}));
        above += weight * x[2].at({at[0], at[1] / 2, j, at[3]}), below += weight;
      }
      BOOST_TEST(std::abs(o.at(at) - above / below) < kRounding);
    });
  }
}

BOOST_AUTO_TEST_CASE(the_kernels_equal_the_definition) {
  for (bool causal : {false, true}) {
    for (long n : {1, 2, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257})
      check_engine({.T = n, .S = n}, {.causal = causal});
    for (auto [T, S] : {std::pair{1L, 70L}, {70, 3}, {65, 66}, {66, 65}, {100, 257}, {257, 100}, {64, 128}})
      check_engine({.T = T, .S = S}, {.causal = causal});
    for (double epsilon : {0.0, 0.5}) {
      const LinearOptions options{.causal = causal, .lengths = tensor({70, 33}, i64), .epsilon = epsilon};
      check_engine({.T = 70, .S = 70}, options);
      check_engine({.H = 6, .Hk = 2, .T = 40, .S = 70}, options);
    }
  }
}

BOOST_AUTO_TEST_CASE(any_number_of_features_and_channels_will_do) {
  for (bool causal : {false, true}) {
    for (auto [F, Dv] : {std::pair{1L, 1L}, {16, 16}, {17, 5}, {8, 33}, {64, 16}, {3, 70}})
      check_engine({.B = 1, .H = 4, .Hk = 2, .T = 80, .S = 80, .F = F, .Dv = Dv}, {.causal = causal});
    check_engine({.B = 3, .H = 6, .Hk = 1, .T = 70, .S = 70}, {.causal = causal});
  }
}

// One sample and one head of 3,000 tokens are cut into stripes, which meet in the sums.
BOOST_AUTO_TEST_CASE(a_long_sequence_may_be_shared_by_the_threads) {
  const LinearSizes z{.B = 1, .H = 2, .Hk = 1, .T = 3000, .S = 3000, .F = 5, .Dv = 3};
  for (bool causal : {false, true}) {
    check_engine(z, {.causal = causal});
    check_engine(z, {.causal = causal, .lengths = tensor({2900}, i64), .segments = runs({{700, 90, 1}}, 3000)});
  }
}

BOOST_AUTO_TEST_CASE(tokens_see_their_own_segment_only) {
  for (bool causal : {false, true}) {
    for (const auto& lengths : {std::vector<std::vector<long>>{{1}, {200}}, {{64}, {63, 65}}, {{5, 130, 1, 2}, {7}}})
      check_engine({.H = 4, .T = 200, .S = 200}, {.causal = causal, .segments = runs(lengths, 200)});
    const LinearOptions some{
        .causal = causal, .lengths = tensor({90, 44}, i64), .segments = runs({{30, 9}, {41}}, 100)};
    check_engine({.T = 70, .S = 100}, some);
    check_engine({.T = 1, .S = 100}, some);
  }
}

BOOST_AUTO_TEST_CASE(gradcheck_agrees) {
  for (bool causal : {false, true}) {
    const LinearOptions options{
        .causal = causal, .lengths = tensor({6, 3}, i64), .segments = runs({{4, 2}, {6}}, 6), .epsilon = 0.1};
    for (const LinearSolver& solve : {LinearSolver(fused), LinearSolver(linear_attention_reference)})
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
  const Tensor heads = transpose(noise({2, 3, 4, 5}), 1, 2);
  BOOST_TEST(same_bits(contiguous(elu_features(heads).value()), elu_features(contiguous(heads)).value()));
  BOOST_TEST(elu_features(heads).value().strides() == heads.strides());
}

BOOST_AUTO_TEST_CASE(a_query_that_sees_nothing_is_zero) {
  const auto all = results(tensors({.T = 9, .S = 4}), {.causal = true}, fused);
  check_close(tokens(all[0], 0, 5), zeros({2, 2, 5, 3}, f64), 0);
  check_close(tokens(all[1], 0, 5), zeros({2, 2, 5, 4}, f64), 0);
  for (bool causal : {false, true}) {
    const LinearOptions nobody{.causal = causal, .lengths = tensor({7, 0}, i64)};
    check_close(slice(results(tensors({}), nobody, fused)[0], 0, 1, 2), zeros({1, 2, 7, 3}, f64), 0);
    for (auto [T, S] : {std::pair{0L, 3L}, {3, 0}, {0, 0}})
      check_close(linear_attention(inputs(tensors({.T = T, .S = S})), {.causal = causal}).value(),
                  zeros({2, 2, T, 3}, f64), 0);
  }
}

BOOST_AUTO_TEST_CASE(without_epsilon_features_of_any_size_give_the_same) {
  const std::vector<Tensor> x = tensors({.T = 70, .S = 70}, f32);
  for (bool causal : {false, true})
    for (const LinearSolver& solve : {LinearSolver(fused), LinearSolver(linear_attention_reference)}) {
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
  for (const LinearSolver& solve : {LinearSolver(fused), LinearSolver(linear_attention_reference)}) {
    const auto early =
        results(tensors({.T = 9, .S = 4}), {.causal = true, .epsilon = 0}, solve);  // five queries see no key
    check_close(tokens(early[0], 0, 5), zeros({2, 2, 5, 3}, f64), 0);
    check_close(tokens(early[1], 0, 5), zeros({2, 2, 5, 4}, f64), 0);
    for (bool causal : {false, true}) {
      const LinearOptions nobody{.causal = causal, .lengths = tensor({7, 0}, i64), .epsilon = 0};
      for (const Tensor& each : results(tensors({}), nobody, solve))
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

BOOST_AUTO_TEST_CASE(lengths_may_have_strides) {
  const std::vector<Tensor> x = tensors({});
  const Tensor strided = select(tensor({6, 1, 3, 2}, {2, 2}, i64), 1, 0);  // 6, 3
  for (const LinearSolver& solve : {LinearSolver(fused), LinearSolver(linear_attention_reference)})
    BOOST_TEST(same_bits(solve(inputs(x), {.lengths = strided}).value(),
                         solve(inputs(x), {.lengths = tensor({6, 3}, i64)}).value()));
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  for (const LinearSizes& z :
       {LinearSizes{.B = 3, .H = 4, .T = 200, .S = 200}, {.B = 1, .H = 1, .Hk = 1, .T = 3000, .S = 3000}})
    for (bool causal : {false, true}) {
      const auto run = [&] { return results(tensors(z, f32), {.causal = causal}, fused); };
      const auto first = run();
      for (int count : {1, 2, 3})
        on_threads(count, [&] {
          const auto again = run();
          for (size_t i = 0; i < first.size(); i++) BOOST_TEST(same_bits(contiguous(again[i]), contiguous(first[i])));
        });
    }
}

BOOST_AUTO_TEST_CASE(memory_grows_linearly) {
  auto peak = [](long n) {
    release_cache();
    reset_peak();
    const size_t before = memory_stats().live;
    results(tensors({.B = 1, .T = n, .S = n, .F = 16, .Dv = 16}, f32), {.causal = true}, fused);
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
  for (double epsilon : {-1.0, double(NAN)})
    BOOST_TEST(error_of([&] {
                 linear_attention({q, q, v}, {.epsilon = epsilon});
               }).find("epsilon >= 0") != std::string::npos);
  BOOST_TEST(error_of([&] {
               linear_attention({q, q, v}, {.lengths = tensor({4, 4}, i64)});
             }) == "linear_attention: lengths is (2,) and k is (1, 2, 4, 8); it must be i64 (B,)");
  const Tensor rising = tensor({1, 1, 2, 1}, {1, 4}, i64);
  BOOST_TEST(error_of([&] {
               linear_attention({q, q, v}, {.segments = rising});
             }) ==
             "linear_attention: segment 1 of sample 0 begins at position 0 and again at 3; a segment is one run of "
             "tokens. Give the second one another number");
  BOOST_TEST(
      error_of([&] {
        linear_attention({q, q, v}, {.segments = tensor({1, 1}, {1, 2}, i64)});
      }) ==
      "linear_attention: segments is i64 (1, 2), and there are 0 tokens before and 4 now; it must be i64 (1, 4), "
      "one number per token so far");
  BOOST_TEST(error_of([&] {
               linear_attention({ones({1, 2, 5, 8}), q, v}, {.segments = full({1, 4}, 1, i64)});
             }) ==
             "linear_attention: q is (1, 2, 5, 8) and k is (1, 2, 4, 8), with segments; queries are the last T of S "
             "tokens, so T <= S. Another sequence has no segments");
}

BOOST_AUTO_TEST_SUITE_END()
