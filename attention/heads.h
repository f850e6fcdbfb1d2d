// Small steps on heads that mixers, cores and engines share. Projections are split by autograd/ops/split_heads.h.
#pragma once

#include "autograd/variable.h"

namespace heed {

// (B, Hk, S, C) -> (B, H, S, C): every head of keys or values as often as it serves a head of queries. Hk divides H.
Variable for_all_heads(const Variable& x, long H);

// (B, H, T, Dv) -> (B, T, H Dv): the heads of a token side by side. Without a copy if o is (B, T, H, Dv) in memory.
Variable joined_heads(const Variable& o);

}  // namespace heed
