// local: the sequence is cut into blocks from its first token on; a query sees the keys of its own block.
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

Sees sees(const OracleCase& c) {
  const long block = c.options.number("block");
  return [=](const OraclePair& pair) { return pair.i / block == pair.j / block; };
}

const RegisteredOracle local{
    {.name = "local",
     .specs = {"local:block=1", "local:block=4", "local:block=7,bias=alibi", "local:block=33,bias=t5",
               "local:block=5,bias=shaw,clip=3"},
     .sees = sees,
     .bias = position_bias,
     .equal_full = {{"local:block=1000", "full"},
                    {"local", "full", 64},
                    {"local:block=65,bias=t5", "full:bias=t5", 65}},
     .public_errors = {
         {"a public benchmark", "groups tokens by i mod b in place of i / b, under a mask of whole blocks",
          "a_token_changes_only_those_who_see_it"},
         {"the same benchmark", "adds a whole block of padding when n is a multiple of b, and lets padding see padding",
          "padding_is_never_seen_and_its_rows_are_zeros"}}}};

}  // namespace
