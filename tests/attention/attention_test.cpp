// The property suite: what must hold for every registered variant, whatever it is. A variant has these tests by
// existing; its oracle (tests/oracle/<variant>.cpp) says what it sees.
#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/oracle/dense.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;
namespace data = boost::unit_test::data;

namespace {

constexpr long C = 10;                                                // of kOracleSizes
double rounding(DType dtype) { return dtype == f32 ? 2e-5 : 1e-11; }  // sums of products of normal numbers

std::vector<bool> causal_or_not(const Mixer& mixer) {
  return mixer.can().causal ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

// Everything that a mask can say of a batch of two, as far as the mixer can follow.
std::vector<Mask> masks(const Mixer& mixer, long T) {
  std::vector<Mask> list;
  std::vector<int64_t> documents;
  for (long i = 0; i < 2 * T; i++) documents.push_back(i % T / 13);
  for (bool causal : causal_or_not(mixer)) {
    const Mask base = causal_if(causal);
    list.insert(list.end(), {base, base & window_mask(9, 4), base & segment_mask(from_vector(documents, {2, T}))});
    list.push_back(base & segment_mask(cast(uniform({2, T}, {.seed = 3}, 0, 2.99), i64)));
    list.push_back(base & allow_mask(greater(uniform({2, 4, T, T}, {.seed = 4}), scalar(0.6))));
    if (mixer.can().padding) list.push_back(base & length_mask(tensor({double(T), double(T / 2)}, i64)));
    if (mixer.can().padding) list.push_back(base & list.back() & window_mask(20, -1));
  }
  return list;
}

void check_values(const std::string& spec, Mixer& mixer, const Tensor& x, const Mask& mask,
                  const MixerOptions& sizes = kOracleSizes) {
  Context ctx;
  const Tensor want = dense_attention(spec, sizes, mixer, x, {}, mask).out;
  check_close(mixer.forward(x, {.mask = mask}, ctx).value(), want, rounding(x.dtype()));
}

// The output, and the gradients of sum(output * noise): of x first, then of the parameters
std::vector<Tensor> results(Mixer& mixer, const Tensor& x, const Mask& mask, Context& ctx) {
  const Variable leaf = Variable::leaf(x);
  mixer.zero_grad();
  const Variable y = mixer.forward(leaf, {.mask = mask}, ctx);
  y.backward(noise(y.shape(), 9, x.dtype()));
  std::vector<Tensor> list = {y.value(), leaf.grad()};
  for (Parameter* p : mixer.parameters())
    if (p->value.grad().defined()) list.push_back(clone(p->value.grad()));
  return list;
}

Tensor rows(const Tensor& y, long begin, long end) { return contiguous(slice(y, 1, begin, end)); }
Tensor sample(const Tensor& y, long b) { return contiguous(slice(y, 0, b, b + 1)); }

// Calls f(spec, mixer) for every spec of the variant, with the spec in the messages of what fails.
template <class F> void for_each_spec(const std::string& variant, DType dtype, F&& f) {
  for (const std::string& spec : specs_of(variant)) BOOST_TEST_CONTEXT(spec) f(spec, *mixer_of(spec, dtype));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attention_test)

BOOST_AUTO_TEST_CASE(every_variant_has_an_oracle_and_every_oracle_a_variant) {
  for (const std::string& name : variant_names()) specs_of(name);
  BOOST_TEST(all_oracles.names() == variant_names(), boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(values_are_those_of_the_dense_computation, data::make(variant_names()), variant) {
  for (DType dtype : {f32, f64})
    for_each_spec(variant, dtype, [&](const std::string& spec, Mixer& mixer) {
      for (long T : {0, 1, 2, 31, 32, 33, 64, 65})
        for (bool causal : causal_or_not(mixer)) BOOST_TEST_CONTEXT(dtype << " T " << T << " causal " << causal)
      check_values(spec, mixer, noise({2, T, C}, 1, dtype), causal_if(causal));
    });
}

BOOST_DATA_TEST_CASE(every_mask_is_honoured, data::make(variant_names()), variant) {
  for_each_spec(variant, f64, [&](const std::string& spec, Mixer& mixer) {
    for (long T : {5, 40, 70}) {
      const std::vector<Mask> all = masks(mixer, T);
      for (size_t i = 0; i < all.size(); i++) BOOST_TEST_CONTEXT("T " << T << " mask " << i)
      check_values(spec, mixer, noise({2, T, C}, 1), all[i]);
    }
  });
}

BOOST_DATA_TEST_CASE(heads_and_widths_may_be_any, data::make(variant_names()), variant) {
  const std::vector<MixerOptions> all = {{.C = 12, .heads = 3},
                                         {.C = 6, .heads = 1, .bias = false},
                                         {.C = 7, .heads = 5, .key_heads = 1, .head_width = 2},
                                         {.C = 4, .heads = 2, .head_width = 1, .value_width = 8}};
  for (const std::string& spec : specs_of(variant))
    for (const MixerOptions& sizes : all) BOOST_TEST_CONTEXT(spec << " C " << sizes.C) {
        const auto mixer = mixer_of(spec, f64, sizes);
        check_values(spec, *mixer, noise({2, 19, sizes.C}, 1), causal_if(mixer->can().causal), sizes);
      }
}

BOOST_DATA_TEST_CASE(weights_sum_to_one_or_zero_and_are_zero_where_nothing_is_seen, data::make(variant_names()),
                     variant) {
  for_each_spec(variant, f64, [&](const std::string& spec, Mixer& mixer) {
    const long T = 21;
    for (const Mask& mask : masks(mixer, T)) {
      Context ctx;
      const Tensor x = noise({2, T, C}, 1), seen = dense_visible(spec, mask, {2, 4, T, T});
      const Tensor weights = mixer.weights(x, {.mask = mask}, ctx);
      check_close(weights, dense_attention(spec, kOracleSizes, mixer, x, {}, mask).weights, rounding(f64));
      check_close(cast(greater(weights, scalar(0, f64)), f64), cast(seen, f64), 0);
      check_close(sum(weights, {-1}), max(cast(seen, f64), {-1}), 1e-12);
    }
  });
}

BOOST_DATA_TEST_CASE(gradcheck_agrees_for_x, data::make(variant_names()), variant) {
  for_each_spec(variant, f64, [&](const std::string&, Mixer& mixer) {
    for (bool causal : causal_or_not(mixer)) {
      Context ctx;
      const Mask mask = causal_if(causal);
      gradcheck([&](auto& x) { return mixer.forward(x[0], {.mask = mask}, ctx); }, {noise({2, 6, C}, 1)},
                {.f32_tolerance = 0});  // the parameters are f64
    }
  });
}

BOOST_DATA_TEST_CASE(gradients_are_slopes_along_any_direction, data::make(variant_names()), variant) {
  constexpr double kStep = 1e-5, kTolerance = 1e-7;  // the error of a central difference is about kStep^2
  for_each_spec(variant, f64, [&](const std::string&, Mixer& mixer) {
    for (long T : {9, 67}) {
      Context ctx;
      Mask mask = causal_if(mixer.can().causal);
      if (mixer.can().padding) mask = mask & length_mask(tensor({double(T), double(T - 4)}, i64));
      const Tensor x = noise({2, T, C}, 1), dy = noise({2, T, C}, 9);
      const std::vector<Tensor> grads = results(mixer, x, mask, ctx);
      auto value = [&](const Tensor& at) { return sum(mixer.forward(at, {.mask = mask}, ctx).value() * dy).item(); };
      auto check = [&](const std::string& what, const Tensor& grad, const Tensor& way, double up, double down) {
        const double got = sum(grad * way).item(), want = (up - down) / (2 * kStep);
        BOOST_TEST(std::abs(got - want) <= kTolerance * (1 + std::abs(want)), what << ": " << got << " != " << want);
      };
      NoGrad no_grad;
      const Tensor way = noise(x.shape(), 5);
      check("x", grads[1], way, value(x + way * kStep), value(x - way * kStep));
      size_t next = 2;
      for (Parameter* p : mixer.parameters()) {
        const Tensor before = p->value.value(), step = noise(before.shape(), 6);
        p->value.set_value(before + step * kStep);
        const double up = value(x);
        p->value.set_value(before - step * kStep);
        const double down = value(x);
        p->value.set_value(before);
        check(p->path, grads[next++], step, up, down);
      }
    }
  });
}

BOOST_DATA_TEST_CASE(a_later_token_changes_no_bit_before_it, data::make(variant_names()), variant) {
  for_each_spec(variant, f32, [&](const std::string&, Mixer& mixer) {
    if (!mixer.can().causal) return does_not_apply("it is not causal: outputs may depend on later tokens");
    Context ctx;
    const long T = 130;
    const Tensor x = noise({2, T, C}, 1, f32), before = mixer.forward(x, {.mask = causal_mask()}, ctx).value();
    for (long t : {129, 128, 65, 64, 63, 32, 1}) {
      const Tensor other = clone(x);
      fill(slice(other, 1, t, T), 3);
      const Tensor after = mixer.forward(other, {.mask = causal_mask()}, ctx).value();
      BOOST_TEST(same_bits(rows(after, 0, t), rows(before, 0, t)), "token " << t);
      BOOST_TEST(!same_bits(rows(after, t, T), rows(before, t, T)));
    }
  });
}

BOOST_DATA_TEST_CASE(a_token_changes_only_those_who_see_it, data::make(variant_names()), variant) {
  for_each_spec(variant, f32, [&](const std::string& spec, Mixer& mixer) {
    Context ctx;
    const long T = 70;
    const Tensor x = noise({1, T, C}, 1, f32), before = mixer.forward(x, {}, ctx).value();
    const Tensor seen = dense_visible(spec, {}, {1, 4, T, T});
    for (long t : {0, 33, 69}) {
      const Tensor other = clone(x);
      fill(slice(other, 1, t, t + 1), 3);
      const Tensor after = mixer.forward(other, {}, ctx).value();
      for (long i = 0; i < T; i++) {
        bool sees = i == t;
        for (long h = 0; h < 4; h++) sees = sees || seen.at({0, h, i, t}) != 0;
        BOOST_TEST(same_bits(rows(after, i, i + 1), rows(before, i, i + 1)) == !sees, "query " << i << " token " << t);
      }
    }
  });
}

BOOST_DATA_TEST_CASE(a_padded_batch_equals_each_sample_alone, data::make(variant_names()), variant) {
  for_each_spec(variant, f64, [&](const std::string&, Mixer& mixer) {
    if (!mixer.can().padding) return does_not_apply("it does not honour lengths");
    const long T = 66;
    const Tensor x = noise({4, T, C}, 1);
    for (bool causal : causal_or_not(mixer)) {
      Context ctx;
      const Mask mask = causal_if(causal) & length_mask(tensor({double(T), 40, 1, 0}, i64));
      const std::vector<Tensor> all = results(mixer, x, mask, ctx);
      for (auto [b, length] : {std::pair{0L, T}, {1, 40}, {2, 1}, {3, 0}}) BOOST_TEST_CONTEXT("sample " << b) {
          const Tensor y = sample(all[0], b), dx = sample(all[1], b);
          check_close(rows(y, length, T), zeros({1, T - length, C}, f64), 0);
          check_close(rows(dx, length, T), zeros({1, T - length, C}, f64), 0);  // padding gets no gradient
          const Variable alone = Variable::leaf(rows(sample(x, b), 0, length));
          const Variable want = mixer.forward(alone, {.mask = causal_if(causal)}, ctx);
          check_close(rows(y, 0, length), want.value(), rounding(f64));
          want.backward(rows(sample(noise({4, T, C}, 9), b), 0, length));
          check_close(rows(dx, 0, length), alone.grad(), rounding(f64));
        }
    }
  });
}

BOOST_DATA_TEST_CASE(a_query_that_sees_nothing_collects_nothing, data::make(variant_names()), variant) {
  for_each_spec(variant, f64, [&](const std::string&, Mixer& mixer) {
    Context ctx;
    const long T = 35;
    const Tensor allow = ones({2, 1, T, 1}, boolean);
    fill(slice(allow, 2, 7, 9), 0);  // queries 7 and 8 see nothing
    const std::vector<Tensor> all = results(mixer, noise({2, T, C}, 1), allow_mask(allow), ctx);
    const Tensor bias = parameter_of(mixer, "out.bias");
    check_close(rows(all[0], 7, 9), expand(bias, {2, 2, C}), 0);
    for (const Tensor& x : all) BOOST_TEST(std::isfinite(sum(x).item()));
  });
}

BOOST_DATA_TEST_CASE(queries_may_come_from_another_sequence_than_keys, data::make(variant_names()), variant) {
  for_each_spec(variant, f64, [&](const std::string& spec, Mixer& mixer) {
    Context ctx;
    const Variable other(noise({2, 3, C}, 2));
    if (!mixer.can().cross) {
      BOOST_TEST(
          error_of([&] {
            mixer.forward(noise({2, 3, C}, 1), {.source = &other}, ctx);
          }) == variant + ": a source was given; it mixes the tokens of one sequence and takes no keys from another: " +
                    mixer.can().because + ". Use full");
      return;
    }
    for (auto [T, S] : {std::pair{1L, 65L}, {33, 5}, {64, 31}, {3, 3}, {2, 0}}) BOOST_TEST_CONTEXT(T << " from " << S) {
        const Tensor x = noise({2, T, C}, 1), y = noise({2, S, C}, 2);
        const Variable source(y);
        for (const Mask& mask : {Mask(), length_mask(tensor({double(S), double(S / 2)}, i64)), causal_mask()}) {
          const DenseAttention want = dense_attention(spec, kOracleSizes, mixer, x, y, mask);
          check_close(mixer.forward(x, {.source = &source, .mask = mask}, ctx).value(), want.out, rounding(f64));
          check_close(mixer.weights(x, {.source = &source, .mask = mask}, ctx), want.weights, rounding(f64));
        }
      }
    gradcheck([&](auto& in) { return mixer.forward(in[0], {.source = &in[1]}, ctx); },
              {noise({2, 4, C}, 1), noise({2, 3, C}, 2)}, {.f32_tolerance = 0});
  });
}

BOOST_DATA_TEST_CASE(bits_do_not_depend_on_threads, data::make(variant_names()), variant) {
  for (const std::string& spec : specs_of(variant)) BOOST_TEST_CONTEXT(spec) {
      MixerOptions sizes = kOracleSizes;
      sizes.dropout = 0.2;
      const auto mixer = mixer_of(spec, f32, sizes);
      const Tensor x = noise({3, 150, C}, 1, f32);
      auto run = [&] {
        Context ctx;
        ctx.train = true;
        return results(*mixer, x, causal_if(mixer->can().causal), ctx);
      };
      const std::vector<Tensor> first = run();
      for (int count : {1, 2, 3})
        on_threads(count, [&] {
          const std::vector<Tensor> again = run();
          for (size_t i = 0; i < first.size(); i++)
            BOOST_TEST(same_bits(again[i], first[i]), "result " << i << " with " << count << " threads");
        });
    }
}

BOOST_DATA_TEST_CASE(dropout_is_drawn_by_seed_step_and_sample_and_only_in_training, data::make(variant_names()),
                     variant) {
  for (const std::string& spec : specs_of(variant)) BOOST_TEST_CONTEXT(spec) {
      MixerOptions sizes = kOracleSizes;
      sizes.dropout = 0.5;
      const auto mixer = mixer_of(spec, f64, sizes), plain = mixer_of(spec, f64);
      const Tensor x = noise({2, 40, C}, 1);
      auto run = [](Mixer& of, const Tensor& in, bool train, uint32_t seed, uint32_t step, uint32_t first = 0) {
        Context ctx;
        ctx.train = train, ctx.seed = seed;
        ctx.begin(step, first);
        return of.forward(in, {}, ctx).value();
      };
      const Tensor y = run(*mixer, x, true, 1, 1);
      BOOST_TEST(same_bits(run(*mixer, x, true, 1, 1), y));
      BOOST_TEST(!same_bits(run(*mixer, x, true, 2, 1), y));
      BOOST_TEST(!same_bits(run(*mixer, x, true, 1, 2), y));
      check_close(run(*mixer, sample(x, 1), true, 1, 1, 1), sample(y, 1),
                  rounding(f64));  // micro-batches draw the same
      BOOST_TEST(same_bits(run(*mixer, x, false, 1, 1), run(*plain, x, false, 1, 1)));
      BOOST_TEST(same_bits(run(*plain, x, true, 1, 1), run(*plain, x, false, 1, 1)));
    }
}

BOOST_DATA_TEST_CASE(specs_that_see_all_equal_full, data::make(variant_names()), variant) {
  specs_of(variant);  // requires the oracle
  for (const OracleEqual& same : all_oracles.find(variant).equal_full)
    BOOST_TEST_CONTEXT(same.spec << " and " << same.full) {
      const auto mixer = mixer_of(same.spec), full = mixer_of(same.full);
      for (long T : {1, 5, 63, 64, 65, 100, 128})
        for (bool causal : causal_or_not(*mixer)) {
          if (T > same.longest || (same.only_causal && !causal)) continue;
          Context ctx;
          const auto got = results(*mixer, noise({2, T, C}, 1), causal_if(causal), ctx);
          const auto want = results(*full, noise({2, T, C}, 1), causal_if(causal), ctx);
          BOOST_TEST_REQUIRE(got.size() == want.size());
          for (size_t i = 0; i < got.size(); i++) check_close(got[i], want[i], rounding(f64));
        }
    }
}

BOOST_DATA_TEST_CASE(memory_grows_as_declared, data::make(variant_names()), variant) {
  for (const std::string& spec : specs_of(variant)) BOOST_TEST_CONTEXT(spec) {
      const auto mixer = mixer_of(spec, f32);
      auto peak = [&](long n) {
        const Tensor x = noise({1, n, C}, 1, f32);
        Context ctx;
        release_cache();
        reset_peak();
        const size_t before = memory_stats().live;
        results(*mixer, x, causal_if(mixer->can().causal), ctx);
        return double(memory_stats().peak - before);
      };
      const Cost declared = find_variant(variant).memory;
      BOOST_TEST(peak(2048) < 1.1 * declared.times(2, 1024) * peak(1024), declared.text());
    }
}

BOOST_AUTO_TEST_SUITE_END()
