#include "tensor/random.h"

#include <cmath>

#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr long kMany = 1 << 20;
// Six standard errors of a mean over kMany draws of deviation 1.
constexpr double kSixErrors = 6.0 / 1024;

double mean_of(const Tensor& x) { return mean(x).item(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(random_test)

BOOST_AUTO_TEST_CASE(philox_gives_the_published_answers) {
  const Philox4 zero{}, ones{~0u, ~0u, ~0u, ~0u}, pi{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  BOOST_TEST((philox(zero, 0) == Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  BOOST_TEST((philox(ones, ~uint64_t(0)) == Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_TEST((philox(pi, 0x299f31d0a4093822) == Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(many_counters_at_once_draw_what_each_draws_alone) {
  PhiloxCounters counters;
  for (uint32_t i = 0; i < kPhiloxMany; i++)
    for (uint32_t w = 0; w < 4; w++) counters.word[w][i] = (i + 1) * 2654435761u ^ w * 0x85ebca6bu;
  counters.word[0][3] = counters.word[2][3] = ~0u;
  const uint64_t key = 0xfedcba9876543210;
  for (long n : {0L, 1L, 7L, 8L, 9L, 33L, kPhiloxMany}) {
    std::vector<Philox4> draws(kPhiloxMany);
    philox_many(draws.data(), counters, n, key);
    for (size_t i = 0; i < size_t(n); i++) {
      const Philox4 one{counters.word[0][i], counters.word[1][i], counters.word[2][i], counters.word[3][i]};
      BOOST_TEST((draws[i] == philox(one, key)));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_key_is_seed_and_step) {
  const RandomKey key{.seed = 0xa4093822, .step = 0x299f31d0};
  BOOST_TEST(key.key() == 0x299f31d0a4093822);
}

BOOST_AUTO_TEST_CASE(sites_differ_by_path_and_use) {
  BOOST_TEST(site_hash("a") == site_hash("a", 0));
  BOOST_TEST(site_hash("a") != site_hash("b"));
  BOOST_TEST(site_hash("a", 0) != site_hash("a", 1));
  BOOST_TEST(site_hash("ab") != site_hash("ba"));
}

BOOST_AUTO_TEST_CASE(uniform_has_the_right_moments_and_stays_inside) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = uniform({kMany}, {.seed = 3}, -1, 3, dtype);
    BOOST_TEST(std::abs(mean_of(x) - 1) < 4 / std::sqrt(12.0) * kSixErrors);
    BOOST_TEST(std::abs(mean_of((x - 1.0) * (x - 1.0)) - 16.0 / 12) < 16.0 / 12 * kSixErrors);
    BOOST_TEST(max(x).item() < 3);
    BOOST_TEST(max(neg(x)).item() <= 1);
  }
}

BOOST_AUTO_TEST_CASE(uniform_never_rounds_up_to_high) {
  // Found by search: one of the first four draws of this site is above 1 - 2^-25, which as a float is 1.
  const RandomKey key{.site = 11031643};
  BOOST_TEST(max(uniform({4}, key, 0, 1, f64)).item() > 1 - 0x1p-25);
  BOOST_TEST(max(uniform({4}, key)).item() < 1);
  BOOST_TEST(max(uniform({4}, key, 2, 2)).item() == 2);
}

BOOST_AUTO_TEST_CASE(normal_has_the_right_moments) {
  for (DType dtype : {f32, f64}) {
    const Tensor x = normal({kMany}, {.seed = 4}, 0, 1, dtype), square = x * x;
    BOOST_TEST(std::abs(mean_of(x)) < kSixErrors);
    BOOST_TEST(std::abs(mean_of(square) - 1) < std::sqrt(2.0) * kSixErrors);
    BOOST_TEST(std::abs(mean_of(square * x)) < std::sqrt(15.0) * kSixErrors);
    BOOST_TEST(std::abs(mean_of(square * square) - 3) < std::sqrt(96.0) * kSixErrors);
  }
  const Tensor shifted = normal({kMany}, {.seed = 4}, 5, 0.5, f64);
  check_close(shifted, normal({kMany}, {.seed = 4}, 0, 1, f64) * 0.5 + 5.0, 1e-14);
}

BOOST_AUTO_TEST_CASE(normal_follows_box_and_muller) {
  const RandomKey key{.seed = 1, .step = 2, .site = 3, .sample = 4};
  constexpr double kLastBits = 4e-15;  // radius up to 7; libm's angle alone is rounded by 4e-16
  for (long n : {1, 2, 3, 5, 255, 256, 257, 200003}) {
    const std::vector<double> x = normal({n}, key, 0, 1, f64).to_vector<double>();
    const std::vector<double> y = normal({n}, key).to_vector<double>();
    double worst = 0, worst_f32 = 0;
    for (uint32_t i = 0; i < uint32_t(n); i++) {
      const Philox4 draw = philox({3, 4, 0, i / 4}, key.key());
      const auto unit = [&](uint32_t j) { return (draw[j] + 0.5) * 0x1p-32; };
      const double angle = 2 * std::acos(-1.0) * unit((i & 2) + 1), turn = i & 1 ? std::sin(angle) : std::cos(angle);
      const double want = std::sqrt(-2 * std::log(unit(i & 2))) * turn;
      worst = std::max(worst, std::abs(x[i] - want));
      worst_f32 = std::max(worst_f32, std::abs(y[i] - want) / std::abs(want));
    }
    BOOST_TEST(worst < kLastBits);
    BOOST_TEST(worst_f32 < 0x1.001p-24);  // correctly rounded, but for ties
  }
}

BOOST_AUTO_TEST_CASE(neighbours_are_not_correlated) {
  const Tensor x = normal({kMany}, {.seed = 9}, 0, 1, f64);
  for (long lag : {1, 2, 3, 4, 1024})
    BOOST_TEST(std::abs(mean_of(slice(x, 0, lag, kMany) * slice(x, 0, 0, kMany - lag))) < 1.01 * kSixErrors);
}

BOOST_AUTO_TEST_CASE(a_draw_depends_on_its_place_and_not_on_the_shape) {
  for (auto draw : {uniform, normal}) {
    const Tensor x = draw({4, 25}, {.seed = 5, .site = 6}, 0, 1, f32, cpu);
    const Tensor y = draw({7}, {.seed = 5, .site = 6}, 0, 1, f32, cpu);
    BOOST_TEST(same_bits(slice(flatten(x), 0, 0, 7), y));
  }
  BOOST_TEST(randn({0, 3}, 1).numel() == 0);
  BOOST_TEST(std::isfinite(randn({}, 1).item()));
}

BOOST_AUTO_TEST_CASE(every_part_of_the_key_matters) {
  const Tensor x = uniform({8}, {});
  for (const RandomKey& key : {RandomKey{.seed = 1}, {.step = 1}, {.site = 1}, {.sample = 1}})
    BOOST_TEST(!same_bits(x, uniform({8}, key)));
}

BOOST_AUTO_TEST_CASE(keep_mask_follows_its_definition) {
  const RandomKey key{.seed = 1, .step = 2, .site = 3, .sample = 4};
  for (const Shape& shape : {Shape{2, 3, 19}, {3, 40, 1}, {2, 5, 8}, {2, 7, 64}, {2, 2, 513}, {1, 3, 1030}}) {
    const std::vector<bool> keep = keep_mask(shape, key, 0.3).to_vector<bool>();
    size_t e = 0, bad = 0;
    for_each_index(shape, [&](const Shape& i) {
      const Philox4 draw = philox({3, uint32_t(4 + i[0]), uint32_t(i[1]), uint32_t(i[2] / 8)}, key.key());
      const uint32_t half = draw[size_t(i[2] % 8 / 2)] >> (i[2] % 2 * 16) & 0xffff;
      bad += keep[e++] != (half >= 19661u);  // round(65536 * 0.3)
    });
    BOOST_TEST(bad == 0u);
  }
}

BOOST_AUTO_TEST_CASE(uniform_follows_its_definition) {
  const RandomKey key{.seed = 1, .step = 2, .site = 3, .sample = 4};
  for (long n : {1, 3, 4, 255, 256, 257, 150001}) {
    const std::vector<double> x = uniform({n}, key, -1, 3, f64).to_vector<double>();
    size_t bad = 0;
    for (uint32_t i = 0; i < uint32_t(n); i++)
      bad += x[i] != -1 + 4 * ((philox({3, 4, 0, i / 4}, key.key())[i % 4] + 0.5) * 0x1p-32);
    BOOST_TEST(bad == 0u);
  }
}

BOOST_AUTO_TEST_CASE(keep_mask_keeps_one_minus_p) {
  for (double p : {0.1, 0.5, 0.9}) {
    const std::vector<bool> keep = keep_mask({8, 128, 1024}, {.seed = 11}, p).to_vector<bool>();
    const double rate = double(std::count(keep.begin(), keep.end(), true)) / kMany;
    BOOST_TEST(std::abs(rate - (1 - p)) < 0.5 * kSixErrors);
  }
  const std::vector<bool> all = keep_mask({2, 3, 100}, {.seed = 11}, 0).to_vector<bool>();
  BOOST_TEST(std::count(all.begin(), all.end(), true) == 600);
}

BOOST_AUTO_TEST_CASE(micro_batches_draw_the_same_mask) {
  const Tensor whole = keep_mask({8, 5, 21}, {.seed = 1, .site = 2, .sample = 0}, 0.4);
  const Tensor half = keep_mask({4, 5, 21}, {.seed = 1, .site = 2, .sample = 4}, 0.4);
  BOOST_TEST(same_bits(slice(whole, 0, 4, 8), half));
}

BOOST_AUTO_TEST_CASE(bad_arguments_are_refused) {
  BOOST_TEST(error_of([] {
               keep_mask({3, 4}, {}, 0.5);
             }) == "keep_mask: the shape is (3, 4); it must be (samples, tokens, channels)");
  BOOST_TEST(error_of([] { keep_mask({1, 1, 1}, {}, 1); }) == "keep_mask: p is 1; the rule is 0 <= p < 1");
  error_of([] { keep_mask({1, 1, 1}, {}, std::nan("")); });
  BOOST_TEST(error_of([] { uniform({1}, {}, 1, 0); }) == "uniform: low is 1 and high is 0; the rule is low <= high");
  BOOST_TEST(error_of([] { randn({1}, 0, i64); }) ==
             "normal: x is i64; maths is done in f32 or f64. Cast first: cast(x, f32)");
  BOOST_TEST(keep_mask({0, 4, 4}, {}, 0.5).numel() == 0);
  BOOST_TEST(keep_mask({4, 0, 4}, {}, 0.5).numel() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
