// full: every query sees every key.
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

const RegisteredOracle full{
    {.name = "full",
     .specs = {"full:bias=alibi", "full:bias=t5", "full:bias=shaw", "full:bias=shaw,clip=2", "full:bias=shaw,clip=0"},
     .sees = every_pair,
     .bias = position_bias,
     .equal_full = {{"full", "full:bias=none"}}}};

}  // namespace
