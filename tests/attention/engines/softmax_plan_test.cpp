// The softmax engine with plans against its definition by dense matrices, and what NaN in hidden places must not do.
#include <cmath>
#include <numeric>

#include "attention/engines/row_engine.h"
#include "attention/seeing/plan.h"
#include "autograd/gradcheck.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/gather.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/attention/engines/softmax_case.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

using Sizes = SoftmaxCase::Sizes;
using PlanPointer = std::shared_ptr<const Plan>;

// Tiles that are full, empty, random; rows that see nothing.
Plan random_plan(const PlanShape& z, uint32_t seed) {
  const std::vector<double> draws =
      uniform({z.samples, z.heads, z.T, z.S}, {.seed = seed}, 0, 1, f64).to_vector<double>();
  return plan_of_pairs(z, [&](const PlanPair& p) {
    const long kind = (p.i / kPlanTile + p.j / kPlanTile + p.h + p.b) % 3;
    const bool drawn = draws[size_t(((p.b * z.heads + p.h) * z.T + p.i) * z.S + p.j)] > 0.6;
    return (kind == 2 || (kind == 1 && drawn)) && p.i % 7 != 3;
  });
}
PlanPointer kept(Plan plan) { return std::make_shared<Plan>(std::move(plan)); }

// (samples, heads, places) tokens: a random order, or any tokens, with repetitions and empty places
Tensor random_index(const Shape& shape, long tokens, bool permutation, uint32_t seed) {
  std::vector<int32_t> values;
  const std::vector<double> draws = uniform(shape, {.seed = seed}, 0, 1, f64).to_vector<double>();
  for (size_t at = 0; at < draws.size(); at += size_t(shape[2])) {
    std::vector<int32_t> list(static_cast<size_t>(shape[2]));
    std::iota(list.begin(), list.end(), 0);
    std::sort(list.begin(), list.end(),
              [&](int32_t a, int32_t b) { return draws[at + size_t(a)] < draws[at + size_t(b)]; });
    for (size_t i = 0; i < list.size() && !permutation; i++)
      list[i] = i % 5 == 2 ? -1 : int32_t(draws[at + i] * double(tokens));
    values.insert(values.end(), list.begin(), list.end());
  }
  return from_vector(values, shape);
}

const SoftmaxOptions kDropout{.dropout = 0.3, .key = {.seed = 5, .step = 2, .site = 77, .sample = 11}};

}  // namespace

BOOST_AUTO_TEST_SUITE(softmax_plan_test)

BOOST_AUTO_TEST_CASE(random_plans_equal_the_definition) {
  uint32_t seed = 1;
  for (auto [T, S] : {std::pair{7L, 7L}, {64, 64}, {130, 130}, {65, 200}, {150, 70}, {1, 130}, {3, 200}, {5, 1}})
    for (auto [samples, heads] : {std::pair{1L, 1L}, {1, 2}, {2, 2}, {2, 1}})
      for (bool causal : {false, true}) BOOST_TEST_CONTEXT(T << " by " << S << " lists " << samples << " " << heads) {
          const PlanPointer plan = kept(random_plan({T, S, samples, heads}, seed++));
          check_engine({.z = {.T = T, .S = S}, .mask = {.causal = causal}, .plan = plan});
        }
}

BOOST_AUTO_TEST_CASE(a_plan_and_a_mask_are_both_honoured) {
  const long n = 100;
  const Sizes z{.H = 4, .Hk = 2, .T = n, .S = n};
  const PlanPointer plan = kept(random_plan({n, n, 1, 4}, 3));
  const Tensor lengths = tensor({100, 37}, i64), segments = cast(uniform({2, n}, {.seed = 3}, 0, 2.99), i64);
  const Tensor some = greater(uniform({2, 4, n, n}, {.seed = 4}), scalar(0.5));
  for (bool causal : {false, true}) {
    const Mask base{.causal = causal};
    check_engine({.z = z, .mask = base & length_mask(lengths), .plan = plan});
    check_engine({.z = z, .mask = base & segment_mask(segments), .plan = plan});
    check_engine({.z = z, .mask = base & allow_mask(some), .plan = plan});
    check_engine({.z = z, .mask = base & window_mask(20, 30), .pattern = {.dilation = 2}, .plan = plan});
    check_engine({.z = z, .mask = base, .options = kDropout, .by_distance = true, .clip = 3, .plan = plan});
  }
}

// Of such tiles the engine takes the keys in between.
BOOST_AUTO_TEST_CASE(tiles_of_which_only_some_keys_are_seen_equal_the_definition) {
  const long n = 150;
  for (const std::vector<long>& seen : {std::vector<long>{0}, {63}, {5, 40}, {70, 127, 149}, {149}})
    for (bool dropped : {false, true}) {
      const PlanPointer plan = kept(plan_of_pairs({n, n}, [&](const PlanPair& p) {
        return std::find(seen.begin(), seen.end(), p.j) != seen.end() && p.i % 5 != 2;
      }));
      SoftmaxCase base{.z = {.T = n, .S = n}, .by_distance = true, .clip = 3, .plan = plan};
      if (dropped) base.options = kDropout;
      check_engine(base);
      base.query_index = base.key_index = random_index({1, 1, n}, n, true, 9);
      base.by_distance = false, base.clip = 0;
      check_engine(base);
    }
}

BOOST_AUTO_TEST_CASE(places_may_be_any_tokens) {
  uint32_t seed = 1;
  for (auto [T, S] : {std::pair{70L, 70L}, {40, 90}, {90, 40}})
    for (bool permutation : {true, false})
      for (auto [samples, heads] : {std::pair{1L, 1L}, {1, 4}, {2, 4}}) {
        const long P = permutation ? T : 130, R = permutation ? S : 67;
        SoftmaxCase base{.z = {.H = 4, .Hk = 2, .T = T, .S = S}};
        base.plan = kept(random_plan({P, R, samples, heads}, seed++));
        base.query_index = random_index({samples, heads, P}, T, permutation, seed++);
        base.key_index = random_index({samples, 1, R}, S, permutation, seed++);
        const auto check = [&](auto&& change) {
          SoftmaxCase p = base;
          change(p);
          check_engine(p);
        };
        BOOST_TEST_CONTEXT(T << " by " << S << " lists " << samples << " " << heads << " permutation " << permutation) {
          const Tensor some = greater(uniform({2, 4, T, S}, {.seed = 4}), scalar(0.5));
          check([](SoftmaxCase&) {});
          check([](SoftmaxCase& p) { p.mask = causal_mask(); });
          check([S = S](SoftmaxCase& p) { p.mask = {.window_left = 9, .lengths = tensor({double(S), 20}, i64)}; });
          check([](SoftmaxCase& p) { p.options = kDropout, p.by_distance = true, p.clip = 2; });
          check([](SoftmaxCase& p) { p.pattern = {.dilation = 3}, p.clip = 1; });
          check([](SoftmaxCase& p) {
            p.by_distance = true, p.clip = 2;
            p.query_positions = cast(uniform({2, p.z.T}, {.seed = 8}, 0, 30), i32);
            p.key_positions = cast(uniform({1, p.z.S}, {.seed = 9}, 0, 30), i32);
          });
          check([&](SoftmaxCase& p) { p.mask = allow_mask(some); });
          base.query_index = Tensor();
          if (P == T) check([](SoftmaxCase& p) { p.mask = causal_mask(), p.by_distance = true; });
        }
      }
}

BOOST_AUTO_TEST_CASE(few_places_may_be_any_tokens) {
  for (long T : {1, 2, 4}) {
    SoftmaxCase p{.z = {.T = T, .S = 7}, .plan = kept(plan_of_blocks({T, 3}, 64, {{.query = 0, .key = 0}}))};
    p.query_index = random_index({1, 1, T}, T, true, 1);
    p.key_index = tensor({6, 0, 6}, {1, 1, 3}, i32);  // a key that is there twice counts twice
    check_engine(p);
  }
}

BOOST_AUTO_TEST_CASE(few_queries_may_look_at_any_keys) {
  const long S = 150, R = 140;
  uint32_t seed = 1;
  for (long T : {1, 3})
    for (auto [samples, heads] : {std::pair{1L, 1L}, {1, 4}, {2, 4}}) {
      SoftmaxCase base{.z = {.H = 4, .Hk = 2, .T = T, .S = S}};
      base.plan = kept(random_plan({T, R, samples, heads}, seed++));
      base.key_index = random_index({samples, heads, R}, S, false, seed++);
      const Tensor some = greater(uniform({2, 4, T, S}, {.seed = 4}), scalar(0.5));
      for (const Mask& mask : {Mask(), causal_mask() & window_mask(99, 0), length_mask(tensor({90, 149}, i64)),
                               segment_mask(cast(uniform({2, S}, {.seed = 3}, 0, 2.99), i64)), allow_mask(some)})
        for (bool biased : {false, true}) {
          SoftmaxCase p = base;
          p.mask = mask, p.by_distance = biased, p.clip = biased ? 2 : -1;
          check_engine(p);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_permutation_changes_nothing_but_the_order) {
  const long n = 150;
  const Sizes z{.T = n, .S = n};
  const SoftmaxCase plain{.z = z, .mask = causal_mask(), .options = kDropout, .by_distance = true};
  SoftmaxCase permuted = plain;
  permuted.plan = kept(plan_of_blocks({n, n}, n, {{.query = 0, .key = 0}}));
  permuted.query_index = random_index({1, 1, n}, n, true, 4), permuted.key_index = random_index({1, 1, n}, n, true, 5);
  const Visible visible = seen_by(permuted);
  std::vector<Variable> x;
  for (const Tensor& t : tensors(plain, f64)) x.push_back(t);
  const Tensor want = softmax_attention(inputs(plain, x), seen_by(plain), kDropout).o.value();
  const Tensor got = softmax_attention(inputs(plain, x), visible, kDropout).o.value();
  const Tensor order = cast(expand(reshape(permuted.query_index, {1, 1, n, 1}), want.shape()), i64);
  check_close(got, gather(want, 2, contiguous(order)), 1e-12);
}

BOOST_AUTO_TEST_CASE(results_by_places_go_back_to_their_tokens) {
  const SoftmaxOutputs y{transpose(noise({2, 4, 3, 5}, 1, f64), 1, 2), noise({2, 3, 4}, 2, f64)};  // 4 places
  for (long heads : {1, 3}) {
    const Tensor one = tensor({2, -1, 0, 3, 1}, {1, 1, 5}, i32), three = random_index({1, 3, 5}, 4, false, 3);
    const Tensor& places = heads == 1 ? one : three;
    const SoftmaxOutputs got = by_tokens(y, places);
    for_each_index({2, 3, 5}, [&](const Shape& at) {
      const long place = long(places.at({0, heads == 1 ? 0 : at[1], at[2]}));
      BOOST_TEST(got.L.value().at(at) == (place < 0 ? -INFINITY : y.L.value().at({at[0], at[1], place})));
      for (long c = 0; c < 5; c++)
        BOOST_TEST(got.o.value().at({at[0], at[1], at[2], c}) ==
                   (place < 0 ? 0 : y.o.value().at({at[0], at[1], place, c})));
    });
    if (heads == 1) BOOST_TEST(transpose(got.o.value(), 1, 2).is_contiguous());
  }
}

BOOST_AUTO_TEST_CASE(gradcheck_agrees) {
  const Plan plan = plan_of_pairs({6, 5, 1, 2}, [](const PlanPair& p) { return (p.i + p.j + p.h) % 3 != 0; });
  SoftmaxCase p{
      .z = {.B = 1, .T = 5, .S = 6}, .mask = causal_mask(), .by_distance = true, .clip = 1, .plan = kept(plan)};
  p.query_index = tensor({0, 3, -1, 1, 3, 2, 2, 1, 0, 0, -1, 4}, {1, 2, 6}, i32);
  p.key_index = tensor({5, 0, 1, 5, 3}, {1, 1, 5}, i32);
  gradcheck([&](auto& x) { return softmax_attention(inputs(p, x), seen_by(p)).o; }, tensors(p, f64));
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_threads) {
  for (const Sizes& z :
       {Sizes{.B = 1, .H = 1, .Hk = 1, .T = 600, .S = 600, .D = 16}, Sizes{.H = 4, .T = 140, .S = 130}}) {
    SoftmaxCase p{.z = z, .mask = causal_mask(), .options = kDropout, .by_distance = true, .clip = 2};
    p.plan = kept(random_plan({z.T, z.S}, 9));
    for (bool gathered : {false, true}) {
      if (gathered) p.query_index = random_index({1, 1, z.T}, z.T, false, 6);
      if (gathered) p.key_index = random_index({1, 1, z.S}, z.S, false, 7);
      check_threads(p);
    }
  }
}

BOOST_AUTO_TEST_CASE(memory_grows_linearly) {
  auto peak = [](long n) {
    SoftmaxCase p{.z = {.B = 1, .T = n, .S = n, .D = 16, .Dv = 16}};
    p.plan = kept(plan_of_globals(n, n, {.window_left = 50, .window_right = 50}, 3));
    p.query_index = p.key_index = random_index({1, 1, n}, n, true, 1);
    return peak_bytes(p);
  };
  BOOST_TEST(peak(2048) < 2.2 * peak(1024));
}

BOOST_AUTO_TEST_CASE(what_is_hidden_may_be_nan) {
  const long n = 150, bad = 70;
  const Mask documents =
      segment_mask(cast(greater(expand(cast(arange(n), f32), {1, n}), scalar(double(bad) - 0.5)), i64));
  const Mask by_length = length_mask(tensor({double(bad)}, i64));
  const Tensor before = less(expand(cast(arange(n), f32), {1, 1, 1, n}), scalar(double(bad)));
  for (const Mask& mask : {causal_mask(), by_length, allow_mask(before), documents})
    for (bool labels : {false, true})
      for (double nothing : {double(NAN), double(INFINITY)}) {
        const SoftmaxCase p{.z = {.B = 1, .T = n, .S = n}, .mask = mask, .pattern = {.dilation = labels ? 2 : 1}};
        std::vector<Variable> good, x;
        for (const Tensor& t : tensors(p, f32))
          good.push_back(Variable::leaf(t)), x.push_back(Variable::leaf(clone(t)));
        fill(slice(x[1].value(), 2, bad, n), nothing), fill(slice(x[2].value(), 2, bad, n), nothing);
        // only the queries before it go on; the others are padding, or their loss does not count
        auto run = [&](const std::vector<Variable>& in) {
          const Variable o = softmax_attention(inputs(p, in), seen_by(p)).o;
          Tensor dy = zeros_like(o.value());
          fill(slice(dy, 2, 0, bad), 1);
          if (!mask.causal) o.backward(dy);
          return contiguous(slice(o.value(), 2, 0, bad));
        };
        BOOST_TEST(same_bits(run(x), run(good)));
        if (mask.causal) continue;
        check_close(slice(x[0].grad(), 2, 0, bad), slice(good[0].grad(), 2, 0, bad), 0);
        if (!mask.segments.defined()) {  // otherwise later queries see it
          for (size_t i : {1, 2}) check_close(slice(x[i].grad(), 2, 0, bad), slice(good[i].grad(), 2, 0, bad), 0);
        }
      }
}

BOOST_AUTO_TEST_CASE(what_is_hidden_from_a_single_query_may_be_nan) {
  const long n = 90;
  std::vector<Tensor> x = tensors({.z = {.B = 1, .T = 1, .S = n}}, f32);
  const Tensor allow = greater(uniform({1, 1, 1, n}, {.seed = 4}), scalar(0.5));
  const Visible visible = visible_pairs("test", allow_mask(allow), {}, {1, 2, 1, n});
  const Tensor good = softmax_attention({x[0], x[1], x[2]}, visible).o.value();
  for (long j = 0; j < n; j++)
    if (allow.at({0, 0, 0, j}) == 0) fill(slice(x[1], 2, j, j + 1), NAN), fill(slice(x[2], 2, j, j + 1), NAN);
  BOOST_TEST(same_bits(softmax_attention({x[0], x[1], x[2]}, visible).o.value(), good));
}

BOOST_AUTO_TEST_CASE(a_value_that_is_seen_and_is_nan_is_not_hidden) {
  std::vector<Tensor> x = tensors({.z = {.B = 1, .H = 1, .Hk = 1, .T = 70, .S = 70}}, f32);
  fill(slice(x[2], 2, 40, 41), NAN);
  const Tensor o =
      softmax_attention({x[0], x[1], x[2]}, visible_pairs("test", causal_mask(), {}, {1, 1, 70, 70})).o.value();
  for (long i = 0; i < 70; i++) BOOST_TEST(std::isnan(o.at({0, 0, i, 0})) == (i >= 40));
}

BOOST_AUTO_TEST_CASE(what_says_who_is_seen_must_not_change_before_backward) {
  const Shape shape{1, 1, 7, 7};
  const RowScores scores = [](const std::vector<Variable>& in, long begin, long end) {
    return matmul(slice(in[0], 2, begin, end), transpose(in[1]));
  };
  const auto refusal = [&](const Visible& visible, const Tensor& written, bool rows) {
    std::vector<Variable> x;
    for (uint32_t i : {1, 2, 3}) x.push_back(Variable::leaf(noise({1, 1, 7, 3}, i, f32)));
    const Variable o = rows ? row_attention(scores, {x[0], x[1]}, x[2], visible, {.rows = 4})
                            : softmax_attention({x[0], x[1], x[2]}, visible).o;
    fill(written, 0);
    return error_of([&] { sum(o).backward(); });
  };
  for (bool rows : {false, true}) {
    const Tensor allow = full(shape, 1, boolean);
    BOOST_TEST(refusal(visible_pairs("test", allow_mask(allow), {}, shape), allow, rows)
                   .find("a tensor saved for its gradient") != std::string::npos);
  }
  for (bool queries : {false, true}) {
    Visible visible = visible_pairs("test", {}, {}, shape);
    visible.plan = kept(random_plan({7, 7}, 1));
    visible.query_index = random_index({1, 1, 7}, 7, true, 1), visible.key_index = random_index({1, 1, 7}, 7, true, 2);
    BOOST_TEST(refusal(visible, queries ? visible.query_index : visible.key_index, false)
                   .find("a tensor saved for its gradient") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(every_engine_refuses_a_plan_of_another_batch) {
  const std::string wrong =
      "attention: the plan has lists for 1 samples and 3 heads and the batch is (B, H, T, S) = (2, 2, 7, 7); it must "
      "have one for all, or one each";
  const SoftmaxCase p{.z = {}, .plan = kept(random_plan({7, 7, 1, 3}, 1))};
  const std::vector<Tensor> x = tensors(p, f32);
  const SoftmaxInputs in{x[0], x[1], x[2]};
  const RowScores scores = [](const std::vector<Variable>&, long begin, long end) {
    return Variable(zeros({2, 2, end - begin, 7}));
  };
  BOOST_TEST(error_of([&] { softmax_attention_reference(in, seen_by(p), {}); }) == wrong);
  BOOST_TEST(error_of([&] { softmax_attention_weights(in, seen_by(p), {}); }) == wrong);
  BOOST_TEST(error_of([&] { row_attention(scores, {}, x[2], seen_by(p)); }) == wrong);
  BOOST_TEST(error_of([&] { row_attention_weights(scores, {}, seen_by(p)); }) == wrong);
}

BOOST_AUTO_TEST_CASE(errors_tell_what_is_wrong) {
  SoftmaxCase p{.z = {}, .plan = kept(random_plan({8, 7}, 1))};
  BOOST_TEST(error_of([&] { results(p, f32, softmax_attention); }) ==
             "softmax_attention: the plan is for 8 queries and 7 keys and the batch is (B, H, T, S) = (2, 2, 7, 7); "
             "without an index they must be equal");
  p.plan = kept(random_plan({7, 7}, 1));
  p.key_index = random_index({1, 1, 7}, 7, true, 1);
  BOOST_TEST(error_of([&] {
               row_attention(nullptr, {}, zeros({2, 2, 7, 3}), seen_by(p));
             }) ==
             "row_attention: the visible pairs have an index; this engine works on tokens. Use a plan without one");
}

BOOST_AUTO_TEST_SUITE_END()
