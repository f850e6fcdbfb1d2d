// PatternCore computes a pattern in several ways (residues, every n-th key, parts that are merged): always the same
// pairs, weights, draws and gradients as the definition, which is what weights() shows.
#include "attention/pattern_core.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/attention/core_case.h"

using namespace heed;

namespace {

struct CoreCase : CoreSizes {
  Pattern pattern;
  long globals = 0;
};

void check(const CoreCase& c) {
  check_core(c, [&] {
    return std::make_unique<OpenCore<PatternCore>>(
        c.mixer(), PatternOptions{.pattern = c.pattern, .globals = c.globals, .bias = c.maker()});
  });
}

std::vector<Mask> masks(long T, long S) {
  return {{},
          causal_mask(),
          causal_mask() & length_mask(tensor({double(S), double(S / 2)}, i64)),
          range_mask(cast(uniform({1, T, 2}, {.seed = 6}, -3, double(S) + 3), i64))};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pattern_core_test)

BOOST_AUTO_TEST_CASE(a_dilated_window_equals_the_definition_however_it_is_computed) {
  for (auto [T, S] : {std::pair{150L, 150L}, {2, 2}, {1, 1}, {1, 150}, {3, 100}, {70, 100}})
    for (const Pattern& pattern : {Pattern{.window_left = 9, .window_right = 4, .dilation = 3},
                                   {.dilation = 2},
                                   {.window_left = 2, .dilation = 70}})
      for (const Mask& mask : masks(T, S))
        for (const char* bias : {"none", "alibi", "t5", "shaw"}) BOOST_TEST_CONTEXT(T << " by " << S << " " << bias) {
            check({{.T = T, .S = S, .bias = bias, .mask = mask}, pattern});
            check({{.T = T, .S = S, .bias = bias, .dropout = 0.4, .mask = mask}, pattern});
          }
}

BOOST_AUTO_TEST_CASE(a_window_with_globals_equals_the_definition_however_it_is_computed) {
  for (auto [T, S] : {std::pair{150L, 150L}, {1, 1}, {1, 3}, {1, 150}, {3, 100}, {70, 100}, {9, 4}})
    for (const Pattern& pattern :
         {Pattern{.window_left = 9, .window_right = 4}, {.window_left = 6, .window_right = 0, .dilation = 3}})
      for (long globals : {1, 5, 200})
        for (const Mask& mask : masks(T, S))
          for (const char* bias : {"none", "t5", "shaw"}) BOOST_TEST_CONTEXT(T << " by " << S << " " << bias) {
              check({{.T = T, .S = S, .bias = bias, .mask = mask}, pattern, globals});
              check({{.T = T, .S = S, .dropout = 0.4, .mask = mask}, pattern, globals});
            }
}

// While a phase of the training keeps windows short, every plan and every path follows.
BOOST_AUTO_TEST_CASE(scaled_windows_are_shorter_windows) {
  const auto output = [](const Pattern& pattern, long globals, long T, Context& ctx) {
    PatternCore core({.heads = 4, .head_width = 3, .value_width = 5}, {.pattern = pattern, .globals = globals});
    const Variable q = noise({2, 4, T, 3}, 1), k = noise({2, 2, 70, 3}, 2), v = noise({2, 2, 70, 5}, 3);
    return core.attend({q, k, v}, causal_mask(), ctx).value();
  };
  Context scaled, plain;  // one of each: plans are kept between calls
  for (double scale : {1.0, 0.5, 0.01, 1.0})
    for (long dilation : {1, 3})
      for (long globals : {0, 2})
        for (long T : {70, 1, 20}) {
          scaled.window_scale = scale;
          const long left = scale == 1.0 ? 20 : scale == 0.5 ? 10 : 1;
          const Pattern wide{.window_left = 20, .window_right = 0, .dilation = dilation};
          const Pattern narrow{.window_left = left, .window_right = 0, .dilation = dilation};
          BOOST_TEST(same_bits(output(wide, globals, T, scaled), output(narrow, globals, T, plain)),
                     scale << " " << dilation << " " << globals << " " << T);
        }
  BOOST_TEST(scaled.scaled(-1) == -1);  // all
  scaled.window_scale = 0.5;
  BOOST_TEST(scaled.scaled(0) == 0);
  BOOST_TEST(scaled.scaled(7) == 4);
}

BOOST_AUTO_TEST_SUITE_END()
