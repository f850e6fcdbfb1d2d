// window: a query sees the keys at most `left` steps before and `right` steps after it, a step being `dilation` tokens.
// The first `global` tokens see all and are seen by all.
#include <algorithm>

#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

Sees sees(const OracleCase& c) {
  const long left = c.options.number("left"), right = c.options.number("right");
  const long dilation = c.options.number("dilation"), global = c.options.number("global");
  return [=](const OraclePair& pair) {
    if (std::min(pair.i, pair.j) < global) return true;
    const long steps = std::labs(pair.j - pair.i) / dilation;
    if (steps * dilation != std::labs(pair.j - pair.i)) return false;
    const long most = pair.j < pair.i ? left : right;
    return pair.j == pair.i || most == -1 || steps <= most;
  };
}

const RegisteredOracle window{
    {.name = "window",
     .specs = {"window:left=3", "window:left=0,right=0", "window:left=5,right=2", "window:left=-1,right=3",
               "window:left=4,right=-1", "window:left=2,right=2,dilation=3", "window:left=-1,right=-1,dilation=4",
               "window:left=40,right=40", "window:left=6,right=1,bias=alibi", "window:left=6,right=6,bias=t5",
               "window:left=3,right=0,dilation=2,bias=shaw,clip=4", "window:left=3,right=2,global=1",
               "window:left=0,right=0,global=3,bias=t5", "window:left=1,right=1,dilation=2,global=2,bias=alibi",
               "window:left=10,right=0,global=66,bias=shaw,clip=3"},
     .sees = sees,
     .bias = position_bias,
     .equal_full = {{"window:left=-1,right=-1", "full"},
                    {"window:left=64,right=64", "full", 65},
                    {"window:left=0,right=0,global=1000", "full"},
                    {"window:left=0,right=0,global=127,bias=t5", "full:bias=t5", 128},
                    {.spec = "window:left=-1,right=0", .full = "full", .only_causal = true},
                    {.spec = "window:left=1000,right=7,bias=shaw", .full = "full:bias=shaw", .only_causal = true}},
     .public_errors = {
         {"a model library's fused path", "drops the sliding window: all of the past is seen",
          "a_token_changes_only_those_who_see_it"},
         {"an inference server", "ignores the window; up to 128 tokens nothing differs, so that short tests pass",
          "values_are_those_of_the_dense_computation"},
         {"a model library's cache", "is wrong from the moment on at which the text is as long as the window",
          "chunks_of_any_size_equal_the_whole"},
         {"a public benchmark", "gives a window of even width one more key on the right",
          "values_are_those_of_the_dense_computation"}}}};

}  // namespace
