// Attention of a single query, for calls with few of them: decoding.
#pragma once

#include "attention/engines/softmax_engine.h"

namespace heed {

inline constexpr long kFewQueries = 4;  // up to here a query at a time is faster than a tile of 64

// Query i of sample b and head h: what the tiles compute, without dropout. Pointers as in kernels::softmax_attention.
template <class E>
void softmax_one_query(E* o, E* L, const E* q, const E* k, const E* v, const E* by_distance, const E* by_query,
                       const kernels::SoftmaxSizes& z, long b, long h, long i);

}  // namespace heed
