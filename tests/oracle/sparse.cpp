// sparse: the first pattern is a window of less than l (inclusive: at most l) around the query, or its own block of l;
// the second one the multiples of l away from it, or c columns of every block, counted from its end. Heads have both
// (merged), the first ones the first and the others the second (split), or all the same, by the layer (alternate).
#include <algorithm>

#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

struct Wanted {
  bool first, second;
};

Wanted wanted(const std::string& way, long h, long H, long layer) {
  if (way == "merged") return {true, true};
  const bool first = way == "split" ? h < (H + 1) / 2 : way == "first" || (way == "alternate" && layer % 2 == 0);
  return {first, !first};
}

Sees sees(const OracleCase& c) {
  const bool strided = c.options.word("kind") == "strided";
  const long row = strided && c.sizes.grid.columns > 0 ? c.sizes.grid.columns : 128;
  const long l = c.options.number("stride") < 0 ? row : c.options.number("stride"), columns = c.options.number("c");
  const long most = std::max(1L, l / columns), H = c.sizes.heads, layer = c.sizes.layer;
  const long groups = c.options.number("groups") < 0 ? std::min(H, most) : c.options.number("groups");
  const long window = c.options.yes("inclusive") ? l : l - 1;
  return [=, way = c.options.word("heads")](const OraclePair& pair) {
    const long distance = std::labs(pair.i - pair.j), from_end = l - 1 - pair.j % l;
    const bool first = strided ? distance <= window : pair.i / l == pair.j / l;
    const bool second = strided ? distance % l == 0 : from_end / columns == pair.h % groups;
    const Wanted has = wanted(way, pair.h, H, layer);
    return (has.first && first) || (has.second && second);
  };
}

const RegisteredOracle sparse{
    {.name = "sparse",
     .specs = {"sparse:stride=8,c=3", "sparse:kind=strided,stride=7", "sparse:stride=64,c=16,groups=2,bias=t5",
               "sparse:stride=5,c=2,heads=split", "sparse:kind=strided,stride=9,heads=split,bias=shaw",
               "sparse:kind=strided,stride=6,inclusive=yes", "sparse:stride=12,c=4,heads=alternate",
               "sparse:kind=strided,stride=8,heads=alternate,inclusive=yes,bias=alibi",
               "sparse:kind=strided,stride=3,heads=second,inclusive=yes", "sparse:kind=strided,stride=64,bias=alibi",
               "sparse:stride=1,c=1"},
     .sees = sees,
     .bias = position_bias,
     .other_sizes = {{.C = 12, .heads = 3, .layer = 1, .layers = 2},
                     {.C = 6, .heads = 2, .bias = false},
                     {.C = 7, .heads = 5, .key_heads = 1, .head_width = 2, .layer = 3, .layers = 4, .grid = {5, 6}},
                     {.C = 4, .heads = 6, .key_heads = 3, .head_width = 1, .value_width = 8}},
     .equal_full = {{"sparse", "full", 128},
                    {"sparse:stride=1,c=1", "full"},
                    {"sparse:kind=strided,stride=1,heads=second", "full"},
                    {"sparse:kind=strided,stride=200,bias=t5", "full:bias=t5", 200},
                    {"sparse:stride=60,c=60", "full", 60},
                    {"sparse:kind=strided,stride=40,heads=first", "full", 40}},
     .cost_length = 2048,  // with l = 128 near keys are half of all at 512
     .public_errors = {{"a public benchmark", "lets the fixed pattern see the columns j mod l = 0, too",
                        "a_token_changes_only_those_who_see_it"},
                       {"the same benchmark", "uses the causal form in encoders as well",
                        "values_are_those_of_the_dense_computation"}}}};

}  // namespace
