// full: every query sees every key.
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

const RegisteredOracle full{
    {.name = "full",
     .specs = {"full:bias=alibi", "full:bias=t5", "full:bias=shaw", "full:bias=shaw,clip=2", "full:bias=shaw,clip=0"},
     .sees = every_pair,
     .bias = position_bias,
     .equal_full = {{"full", "full:bias=none"}},
     .public_errors = {{"a layer library", "drops the causal mask as soon as dropout is on or the scores are asked for",
                        "a_later_token_changes_no_bit_before_it"},
                       {"a library of attention parts", "skips the causal mask if no other mask is given",
                        "every_part_of_a_mask_is_honoured_or_refused"},
                       {"a transformer library", "writes other text with a cache than without one",
                        "chunks_of_any_size_equal_the_whole"}}}};

}  // namespace
