// blockwise: token i of n is in block floor(i m / n), or floor(i / block); a head sees from its block the one `shift`
// farther on, around the end, or without wrapping the one `shift` before it. Heads are dealt to the shifts in order.
#include <numeric>

#include "tests/oracle/position_bias.h"

using namespace heed;

namespace {

// The shift of head h: as many heads as `shares` says, and by default one in six (at least one) for each shift but the
// first, which has the rest.
std::vector<long> shifts_by_head(const OracleCase& c) {
  const std::vector<long> shifts = c.options.numbers("shifts");
  std::vector<long> shares = c.options.numbers("shares");
  const long H = c.sizes.heads, groups = long(shifts.size());
  if (c.options.word("shares") == "0") {
    shares.assign(shifts.size(), std::max(1L, H / std::max(6L, groups)));
    for (long g = H; g < groups; g++) shares[size_t(g)] = 0;
    shares[0] = H - std::accumulate(shares.begin() + 1, shares.end(), 0L);
  }
  std::vector<long> all;
  for (size_t g = 0; g < shifts.size(); g++)
    for (long h = 0; h < shares[g]; h++) all.push_back(shifts[g]);
  return all;
}

Sees sees(const OracleCase& c) {
  const long size = c.options.number("block"), count = c.options.number("blocks");
  return [=, wrap = c.options.yes("wrap"), shifts = shifts_by_head(c)](const OraclePair& pair) {
    const auto block = [&](long token) { return size > 0 ? token / size : token * count / pair.S; };
    const long blocks = size > 0 ? (pair.S + size - 1) / size : count, shift = shifts[size_t(pair.h)];
    if (!wrap) return block(pair.j) == block(pair.i) - shift;
    return block(pair.j) == (block(pair.i) + shift) % blocks;
  };
}

const RegisteredOracle blockwise{
    {.name = "blockwise",
     .specs = {"blockwise:block=16,wrap=no", "blockwise:blocks=3,shifts=0/1/2", "blockwise:block=5,shifts=0",
               "blockwise:blocks=7,shifts=3,bias=alibi", "blockwise:block=9,shifts=1/0/2,wrap=no,bias=t5",
               "blockwise:blocks=100,shifts=0/99"},
     .sees = sees,
     .bias = position_bias,
     .equal_full = {{"blockwise:blocks=1", "full"},
                    {"blockwise:block=64,shifts=0", "full", 64},
                    {"blockwise:blocks=1,shifts=5,bias=t5", "full:bias=t5"}}}};

}  // namespace
