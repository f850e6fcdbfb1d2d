// image-local: the sequence is cut into blocks from its first token on; a query sees the keys of its own block, and
// those at most `margin` tokens before its first or after its last one.
#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

Sees sees(const OracleCase& c) {
  const long block = c.options.number("block"), margin = c.options.number("margin");
  return [=](const OraclePair& pair) {
    const long first = pair.i - pair.i % block, last = first + block - 1;
    return pair.j < first ? first - pair.j <= margin : pair.j <= last || pair.j - last <= margin;
  };
}

const RegisteredOracle image_local{
    {.name = "image-local",
     .specs = {"image-local:block=4,margin=4", "image-local:block=1,margin=0", "image-local:block=5,margin=3",
               "image-local:block=3,margin=8", "image-local:block=32,margin=7,bias=alibi",
               "image-local:block=7,margin=2,bias=t5", "image-local:block=6,margin=1,bias=shaw,clip=3"},
     .sees = sees,
     .bias = position_bias,
     .equal_full = {{"image-local:block=1000,margin=0", "full"},
                    {"image-local:block=4,margin=1000", "full"},
                    {"image-local", "full", 256},  // two blocks
                    {"image-local:block=50,margin=51,bias=t5", "full:bias=t5", 100}}}};

}  // namespace
