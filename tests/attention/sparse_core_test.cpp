// SparseCore computes its patterns in several ways (columns as heads, residues, summaries side by side, columns of a
// table, parts that are merged): always the same pairs, weights, draws and gradients as the definition, which is what
// weights() shows.
#include "attention/sparse_core.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/random.h"
#include "tests/attention/core_case.h"

using namespace heed;

namespace {

struct CoreCase : CoreSizes {
  SparseRule rule;
};

void check(const CoreCase& c) {
  check_core(c, [&] { return std::make_unique<OpenCore<SparseCore>>(c.mixer(), c.rule, c.maker()); });
}

SparseRule rule(bool fixed, long l, const SummaryPattern& heads, long window = 0) {
  SparseRule rule{.fixed = fixed, .parts = heads, .window = window};
  rule.parts.block = l, rule.parts.heads = 4;
  return rule;
}

// Merged, split, and the second pattern alone
std::vector<SparseRule> rules() {
  std::vector<SparseRule> all;
  for (auto [own, from] : {std::pair{4L, 0L}, {2, 2}, {0, 0}}) {
    for (auto [l, window] : {std::pair{7L, 6L}, {7, 7}, {64, 63}})
      all.push_back(rule(false, l, {.own = own, .from = from}, window));
    all.push_back(rule(true, 9, {.columns = 2, .groups = 3, .own = own, .from = from}));
    all.push_back(rule(true, 64, {.columns = 16, .groups = 1, .own = own, .from = from}));
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sparse_core_test)

BOOST_AUTO_TEST_CASE(every_way_of_computing_equals_the_definition) {
  for (auto [T, S] :
       {std::pair{200L, 200L}, {2, 2}, {1, 1}, {1, 200}, {3, 150}, {80, 200}, {448, 448}, {64, 192}, {14, 49}})
    for (const SparseRule& rule : rules())  // of the last ones some are whole rows
      for (bool causal : {false, true}) BOOST_TEST_CONTEXT(T << " by " << S << " " << rule.text()) {
          check({{.T = T, .S = S, .mask = {.causal = causal}}, rule});
        }
}

BOOST_AUTO_TEST_CASE(biases_dropout_and_masks_speak_of_tokens) {
  for (auto [T, S] : {std::pair{150L, 150L}, {1, 150}, {70, 150}}) {
    const Tensor some = greater(uniform({2, 4, T, S}, {.seed = 4}), scalar(0.5));
    for (const SparseRule& rule : rules()) BOOST_TEST_CONTEXT(T << " by " << S << " " << rule.text()) {
        for (const char* bias : {"alibi", "t5", "shaw"})
          check({{.T = T, .S = S, .bias = bias, .dropout = 0.3, .mask = causal_mask()}, rule});
        const Tensor segments = cast(uniform({2, S}, {.seed = 3}, 0, 2.99), i64);
        for (const Mask& mask : {length_mask(tensor({double(S), double(S / 2)}, i64)), segment_mask(segments),
                                 allow_mask(some), causal_mask() & window_mask(40, 0)})
          check({{.T = T, .S = S, .bias = "t5", .mask = mask}, rule});
      }
  }
}

BOOST_AUTO_TEST_SUITE_END()
