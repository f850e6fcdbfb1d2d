// The softmax engine against its definition by dense matrices: values and gradients, for all that decides what is
// visible.
#include "attention/engines/softmax_engine.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/attention/engines/softmax_case.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

using Case = SoftmaxCase;
using Sizes = SoftmaxCase::Sizes;
constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax_engine_test)

BOOST_AUTO_TEST_CASE(every_size_equals_the_definition) {
  for (long n : {1, 2, 3, 7, 16, 17, 31, 64, 65, 130})
    for (bool causal : {false, true}) BOOST_TEST_CONTEXT("n " << n << " causal " << causal)
  check_engine({.z = {.T = n, .S = n}, .mask = {.causal = causal}});
  check_engine({.z = {.B = 1, .H = 1, .Hk = 1, .T = 200, .S = 200, .D = 64, .Dv = 64}});
  check_engine({.z = {.B = 1, .H = 3, .Hk = 3, .T = 70, .S = 70, .D = 33, .Dv = 17}, .mask = causal_mask()});
  check_engine({.z = {.T = 5, .S = 5, .D = 1, .Dv = 1}});
}

BOOST_AUTO_TEST_CASE(queries_and_keys_may_differ_in_number) {
  for (bool causal : {false, true})
    for (auto [T, S] : {std::pair{1L, 70L}, {3, 130}, {70, 3}, {65, 66}, {66, 65}})
      BOOST_TEST_CONTEXT("T " << T << " S " << S << " causal " << causal)
  check_engine({.z = {.T = T, .S = S}, .mask = {.causal = causal}});
}

BOOST_AUTO_TEST_CASE(heads_may_be_wide) {
  for (auto [D, Dv] : {std::pair{100L, 40L}, {40, 100}, {128, 128}, {130, 65}, {200, 300}, {512, 512}})
    BOOST_TEST_CONTEXT("D " << D << " Dv " << Dv)
  check_engine({.z = {.B = 1, .H = 2, .Hk = 1, .T = 70, .S = 90, .D = D, .Dv = Dv},
                .mask = causal_mask(),
                .options = {.dropout = 0.25, .key = {1, 2, 3, 4}},
                .by_distance = true,
                .clip = 3});
}

BOOST_AUTO_TEST_CASE(many_queries_may_look_at_few_keys) {  // more tiles of queries than a block of a GPU has threads
  check_engine({.z = {.B = 1, .H = 1, .Hk = 1, .T = 8300, .S = 70, .D = 4, .Dv = 4}, .mask = causal_mask()});
}

BOOST_AUTO_TEST_CASE(without_keys_there_are_zeros) {
  const auto all = results({.z = {.T = 5, .S = 0}}, f32, softmax_attention);
  check_close(all[0], zeros({2, 2, 5, 3}), 0);
  check_close(all[1], full({2, 2, 5}, -kInf), 0);
  check_close(all[2], zeros({2, 2, 5, 5}), 0);
  BOOST_TEST(softmax_attention({zeros({1, 1, 0, 4}), zeros({1, 1, 3, 4}), zeros({1, 1, 3, 2})},
                               visible_pairs("test", {}, {}, {1, 1, 0, 3}))
                 .o.shape() == (Shape{1, 1, 0, 2}));
}

BOOST_AUTO_TEST_CASE(heads_of_keys_may_serve_several_heads_of_queries) {
  check_engine({.z = {.H = 6, .Hk = 2, .T = 67, .S = 67}, .mask = causal_mask()});
  check_engine({.z = {.B = 3, .H = 4, .Hk = 1, .T = 9, .S = 11}});
  check_engine({.z = {.B = 3, .H = 4, .Hk = 1, .T = 1, .S = 11}});
}

BOOST_AUTO_TEST_CASE(masks_and_patterns_are_honoured) {
  const Tensor lengths = tensor({100, 0}, i64), segments = cast(uniform({2, 100}, {.seed = 3}, 0, 2.99), i64);
  std::vector<int64_t> documents;
  for (long i = 0; i < 200; i++) documents.push_back(i % 100 / 37);
  const Tensor some = greater(uniform({2, 2, 100, 100}, {.seed = 4}), scalar(0.7));
  const Sizes z{.T = 100, .S = 100};
  for (bool causal : {false, true}) {
    const Mask base{.causal = causal};
    check_engine({.z = z, .mask = base & window_mask(5, 9)});
    check_engine({.z = z, .mask = base & length_mask(lengths)});
    check_engine({.z = z, .mask = base & segment_mask(segments)});
    check_engine({.z = z, .mask = base & segment_mask(from_vector(documents, {2, 100}))});
    check_engine({.z = z, .mask = base & range_mask(cast(uniform({2, 100, 2}, {.seed = 6}, -3, 103), i64))});
    check_engine({.z = z, .mask = base & allow_mask(some)});
    check_engine({.z = z, .mask = base, .pattern = {.window_left = 4, .window_right = 2, .dilation = 3}});
    check_engine({.z = z, .mask = base, .pattern = {.block = 24}});
    check_engine({.z = z, .mask = base, .pattern = {.block = 16, .blocks_back = 1, .blocks_forward = 1}});
    check_engine({.z = {.T = 30, .S = 100}, .mask = base & window_mask(40, 0), .pattern = {.dilation = 2}});
    check_engine({.z = {.T = 3, .S = 100},
                  .mask = base & window_mask(90, 0) & length_mask(lengths),
                  .pattern = {.dilation = 2}});
    check_engine({.z = {.T = 2, .S = 100}, .mask = base & allow_mask(slice(some, 2, 0, 2)) & segment_mask(segments)});
    check_engine({.z = {.T = 100, .S = 30}, .mask = base, .pattern = {.window_left = 8, .dilation = 2}});
  }
}

BOOST_AUTO_TEST_CASE(heads_may_see_ranges_of_their_own) {
  const auto shifted = [](long h, long i) { return KeyRange{(i + 40 * h) % 100 - 10, (i + 40 * h) % 100 + 3}; };
  for (bool causal : {false, true})
    for (auto [T, Hk] : {std::pair{100L, 2L}, {100, 1}, {30, 2}, {2, 2}})
      check_engine({.z = {.Hk = Hk, .T = T, .S = 100}, .mask = {.causal = causal}, .keys_of_head = shifted});
}

BOOST_AUTO_TEST_CASE(biases_and_their_gradients_are_right) {
  for (bool causal : {false, true})
    for (auto [T, S] : {std::pair{7L, 7L}, {70, 70}, {3, 70}, {70, 66}}) {
      const Mask mask{.causal = causal};
      check_engine({.z = {.H = 2, .Hk = 1, .T = T, .S = S}, .mask = mask, .by_distance = true});
      check_engine({.z = {.T = T, .S = S}, .mask = mask, .clip = 2});
      check_engine({.z = {.T = T, .S = S}, .mask = mask, .by_distance = true, .clip = 0});
    }
}

// i32 (samples, n): positions from -20 to 20, many of them several times
Tensor random_positions(long samples, long n, uint32_t seed) {
  return cast(uniform({samples, n}, {.seed = seed}, -20, 20), i32);
}

BOOST_AUTO_TEST_CASE(biases_go_by_the_positions_that_are_given) {
  for (bool causal : {false, true})
    for (auto [T, S] : {std::pair{7L, 7L}, {70, 70}, {3, 70}, {70, 66}})
      for (auto [queries, keys] : {std::pair{1L, 1L}, {2, 1}, {1, 2}, {2, 2}}) {
        Case p{.z = {.H = 2, .Hk = 1, .T = T, .S = S}, .mask = {.causal = causal}, .by_distance = true};
        p.query_positions = random_positions(queries, T, 1), p.key_positions = random_positions(keys, S, 2);
        check_engine(p);
        p.clip = 2;
        check_engine(p);
      }
}

BOOST_AUTO_TEST_CASE(the_usual_positions_shifted_together_change_no_bit) {
  for (auto [T, S] : {std::pair{130L, 130L}, {3, 70}, {70, 130}}) {
    Case p{.z = {.T = T, .S = S}, .mask = causal_mask(), .clip = 3};
    const auto usual = results(p, f32, softmax_attention);
    const Tensor places = reshape(arange(S + 9, i32), {1, S + 9});
    p.query_positions = slice(places, 1, S - T + 9, S + 9), p.key_positions = slice(places, 1, 9, S + 9);
    const auto shifted = results(p, f32, softmax_attention);
    for (size_t i = 0; i < usual.size(); i++) BOOST_TEST(same_bits(contiguous(shifted[i]), contiguous(usual[i])));
  }
}

BOOST_AUTO_TEST_CASE(dropout_is_drawn_by_positions) {
  const SoftmaxOptions options{.dropout = 0.3, .key = {.seed = 5, .step = 2, .site = 77, .sample = 11}};
  check_engine({.z = {.T = 70, .S = 70}, .mask = causal_mask(), .options = options});
  check_engine({.z = {.T = 3, .S = 130}, .options = options});
  Case p{.z = {.T = 9, .S = 9}, .options = {.dropout = 1e-9}};
  const auto none = results({.z = p.z}, f64, softmax_attention), tiny = results(p, f64, softmax_attention);
  for (size_t i = 0; i < none.size(); i++) check_close(tiny[i], none[i], 1e-8);
}

BOOST_AUTO_TEST_CASE(gradcheck_agrees) {
  for (bool causal : {false, true}) {
    const Case p{.z = {.B = 1, .T = 5, .S = 6}, .mask = {.causal = causal}, .by_distance = true, .clip = 1};
    gradcheck([&](auto& x) { return softmax_attention(inputs(p, x), seen_by(p)).o; }, tensors(p, f64));
    gradcheck([&](auto& x) { return softmax_attention(inputs(p, x), seen_by(p)).L; }, tensors(p, f64));
  }
}

BOOST_AUTO_TEST_CASE(a_query_that_sees_nothing_is_zero_and_has_no_gradient) {
  const Case p{.z = {.T = 9, .S = 9}, .mask = length_mask(tensor({9, 0}, i64))};
  const auto all = results(p, f32, softmax_attention);
  check_close(select(all[0], 0, 1), zeros({2, 9, 3}), 0);
  check_close(select(all[1], 0, 1), full({2, 9}, -kInf), 0);
  for (size_t i = 2; i < 5; i++) check_close(sum(abs(select(all[i], 0, 1))), scalar(0), 0);
}

BOOST_AUTO_TEST_CASE(a_later_token_changes_no_bit_before_it) {
  const Sizes z{.B = 1, .T = 150, .S = 150, .D = 16, .Dv = 16};
  const std::vector<Tensor> x = tensors({.z = z}, f32);
  const Visible visible = visible_pairs("test", causal_mask(), {}, {1, 2, 150, 150});
  const Tensor before = softmax_attention({x[0], x[1], x[2]}, visible).o.value();
  for (long t : {149L, 128L, 64L, 63L, 1L}) {
    const Tensor k = clone(x[1]), v = clone(x[2]);
    fill(slice(k, 2, t, 150), 3), fill(slice(v, 2, t, 150), 100);
    const Tensor after = softmax_attention({x[0], k, v}, visible).o.value();
    BOOST_TEST(same_bits(contiguous(slice(after, 2, 0, t)), contiguous(slice(before, 2, 0, t))));
  }
}

BOOST_AUTO_TEST_CASE(a_padded_batch_equals_each_sample_alone_bit_for_bit) {
  const Sizes z{.B = 2, .T = 100, .S = 100, .D = 8, .Dv = 8};
  const std::vector<Tensor> x = tensors({.z = z}, f32);
  const Tensor both = softmax_attention({x[0], x[1], x[2]}, visible_pairs("test", length_mask(tensor({100, 67}, i64)),
                                                                          {}, {2, 2, 100, 100}))
                          .o.value();
  auto alone = [&](const Tensor& t) { return slice(slice(t, 0, 1, 2), 2, 0, 67); };
  const Tensor one =
      softmax_attention({alone(x[0]), alone(x[1]), alone(x[2])}, visible_pairs("test", {}, {}, {1, 2, 67, 67}))
          .o.value();
  BOOST_TEST(same_bits(contiguous(one), contiguous(alone(both))));
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  const SoftmaxOptions options{.dropout = 0.1};
  for (const Sizes& z : {Sizes{.B = 1, .H = 1, .Hk = 1, .T = 600, .S = 600, .D = 16},
                         Sizes{.B = 3, .H = 4, .Hk = 2, .T = 130, .S = 140}}) {
    const Case p{.z = z, .mask = causal_mask(), .options = options, .by_distance = true};
    check_threads(p);
  }
}

BOOST_AUTO_TEST_CASE(large_scores_neither_overflow_nor_lose_the_result) {
  const Sizes z{.B = 1, .H = 1, .Hk = 1, .T = 70, .S = 70, .D = 4, .Dv = 4};
  std::vector<Tensor> x = tensors({.z = z}, f32);
  const Visible all = visible_pairs("test", {}, {}, {1, 1, 70, 70});
  const SoftmaxOutputs huge = softmax_attention({x[0] * 100.0, x[1] * 100.0, x[2]}, all);
  BOOST_TEST(std::isfinite(sum(huge.o.value()).item()));
  check_close(huge.o.value(), softmax_attention_reference({x[0] * 100.0, x[1] * 100.0, x[2]}, all).o.value(), 1e-3);
}

BOOST_AUTO_TEST_CASE(nan_in_a_query_or_key_is_not_hidden) {
  for (long T : {2, 70}) {
    std::vector<Tensor> x = tensors({.z = {.B = 1, .H = 1, .Hk = 1, .T = T, .S = 70}}, f32);
    const Visible all = visible_pairs("test", causal_mask(), {}, {1, 1, T, 70});
    fill(slice(x[0], 2, 0, 1), NAN);
    const Tensor o = softmax_attention({x[0], x[1], x[2]}, all).o.value();
    BOOST_TEST(std::isnan(o.at({0, 0, 0, 0})));
    BOOST_TEST(!std::isnan(o.at({0, 0, 1, 0})));
    fill(slice(x[1], 2, 69, 70), NAN);
    BOOST_TEST(std::isnan(softmax_attention({x[0], x[1], x[2]}, all).o.value().at({0, 0, T - 1, 0})));
  }
}

BOOST_AUTO_TEST_CASE(equal_keys_give_the_mean_of_the_values) {
  const Sizes z{.B = 1, .H = 1, .Hk = 1, .T = 3, .S = 70};
  std::vector<Tensor> x = tensors({.z = z}, f64);
  const Visible all = visible_pairs("test", {}, {}, {1, 1, 3, 70});
  const Tensor o = softmax_attention({x[0], zeros({1, 1, 70, 5}, f64), x[2]}, all).o.value();
  check_close(select(o, 2, 1), mean(x[2], {2}), 1e-14);
}

BOOST_AUTO_TEST_CASE(memory_grows_linearly) {
  auto peak = [](long n) {
    const Case p{.z = {.B = 1, .H = 2, .Hk = 2, .T = n, .S = n, .D = 16, .Dv = 16}, .mask = causal_mask()};
    return peak_bytes(p);
  };
  BOOST_TEST(peak(2048) < 2.2 * peak(1024));
}

BOOST_AUTO_TEST_CASE(errors_tell_the_shapes) {
  const Tensor q = zeros({1, 2, 4, 8}), k = zeros({1, 2, 5, 8});
  const Visible v = visible_pairs("test", {}, {}, {1, 2, 4, 5});
  BOOST_TEST(
      error_of([&] {
        softmax_attention({q, zeros({1, 2, 5, 7}), k}, v);
      }) ==
      "softmax_attention: q is (1, 2, 4, 8), k is (1, 2, 5, 7) and v is (1, 2, 5, 8); they must be (B, H, T, D), "
      "(B, Hk, S, D) and (B, Hk, S, Dv), and Hk must divide H");
  BOOST_TEST(error_of([&] {
               softmax_attention({q, k, k}, visible_pairs("test", {}, {}, {1, 2, 4, 4}));
             }) ==
             "softmax_attention: q is (1, 2, 4, 8) and k is (1, 2, 5, 8), but the visible pairs are for (B, H, T, S) = "
             "(1, 2, 4, 4)");
  BOOST_TEST(error_of([&] {
               softmax_attention({q, k, k, zeros({2, 9})}, v);
             }) ==
             "softmax_attention: the bias by distance is (2, 9) and (B, H, T, S) is (1, 2, 4, 5); it must be "
             "(H, T + S - 1)");
  const auto error_with = [&](const Tensor& by_distance, const Tensor& queries, const Tensor& keys) {
    return error_of([&] { softmax_attention({q, k, k, by_distance, {}, queries, keys}, v); });
  };
  BOOST_TEST(error_with({}, zeros({1, 4}, i32), {}) ==
             "softmax_attention: positions were given for the queries only; the rule is for both or for none");
  BOOST_TEST(error_with({}, zeros({1, 4}, i64), zeros({2, 5}, i32)) ==
             "softmax_attention: the positions are i64 (1, 4) and i32 (2, 5) and (B, H, T, S) is (1, 2, 4, 5); they "
             "must be i32 (1 or B, T) and (1 or B, S)");
  BOOST_TEST(error_with(zeros({2, 8}), zeros({1, 4}, i32), zeros({1, 5}, i32)) ==
             "softmax_attention: the bias by distance is (2, 8) and (B, H, T, S) is (1, 2, 4, 5); with positions it "
             "must be (H, 2 m + 1)");
  BOOST_TEST(error_with(zeros({2, 7}), full({1, 4}, -1, i32), full({1, 5}, 3, i32)) ==
             "softmax_attention: positions out of range: the bias by distance is (2, 7), for distances up to 3, and "
             "there is one of 4. Make it (H, 2 m + 1) with m >= 4");
  BOOST_TEST(error_of([&] {
               softmax_attention({zeros({1, 1, 2, 600}), zeros({1, 1, 2, 600}), zeros({1, 1, 2, 8})},
                                 visible_pairs("test", {}, {}, {1, 1, 2, 2}));
             }) == "softmax_attention: a head has 600 channels and 8 values; the rule is at most 512. Use more heads");
}

BOOST_AUTO_TEST_SUITE_END()
