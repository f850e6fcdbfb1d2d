// Small steps on heads that mixers, cores and engines share. Projections are split by autograd/ops/split_heads.h.
#pragma once

#include <functional>
#include <vector>

#include "attention/core.h"

namespace heed {

Shape pairs_of(const Heads& heads);  // (B, H, T, S)

// (B, Hk, S, C) -> (B, H, S, C): every head of keys or values as often as it serves a head of queries. Hk divides H.
Variable for_all_heads(const Variable& x, long H);

// (B, H, T, Dv) -> (B, T, H Dv): the heads of a token side by side. Without a copy if o is (B, T, H, Dv) in memory.
Variable joined_heads(const Variable& o);

// Groups of heads that attend each in its own way: cuts the heads of q into groups of these sizes, with the heads of k
// and v that serve them, asks attend for each, and joins the results, (B, H, T, Dv) in the order of the heads. Under
// dropout pass first_head on (SoftmaxOptions): a group then draws as it would in the whole. The sizes are at least 1
// and sum to H; where heads of k and v serve several of q, no group may part these.
using AttendGroup = std::function<Variable(const Heads& part, long first_head)>;
Variable by_head_groups(const Heads& heads, const std::vector<long>& sizes, const AttendGroup& attend);

// The part of a mask that speaks of the heads begin .. end: single pairs may differ by head.
Mask mask_of_heads(const Mask& mask, long begin, long end);

}  // namespace heed
