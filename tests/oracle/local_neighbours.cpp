// local-neighbours: blocks as in local; a query also sees `back` whole blocks before its own and `forward` after it.
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

Sees sees(const OracleCase& c) {
  const long block = c.options.number("block"), back = c.options.number("back"), forward = c.options.number("forward");
  return [=](const OraclePair& pair) {
    const long own = pair.i / block;
    return pair.j >= (own - back) * block && pair.j < (own + forward + 1) * block;
  };
}

const RegisteredOracle local_neighbours{
    {.name = "local-neighbours",
     .specs = {"local-neighbours:block=4", "local-neighbours:block=1,back=2,forward=3",
               "local-neighbours:block=5,back=2,forward=0", "local-neighbours:block=3,back=0,bias=alibi",
               "local-neighbours:block=16,bias=shaw", "local-neighbours:block=9,back=1,forward=0,bias=t5"},
     .sees = sees,
     .bias = position_bias,
     .equal_full = {{"local-neighbours:block=1000", "full"},
                    {"local-neighbours", "full", 128},
                    {.spec = "local-neighbours:block=4,back=1000,forward=0", .full = "full", .only_causal = true},
                    {"local-neighbours:block=2,back=1000,forward=1000,bias=alibi", "full:bias=alibi"}},
     .public_errors = {{"a package for local attention",
                        "fills up the last block with zeros that stay visible unless a mask is given",
                        "values_are_those_of_the_dense_computation"}}}};

}  // namespace
