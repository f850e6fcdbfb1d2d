// Dilated patterns without wasted work. With a dilation of D a query sees keys of its own residue p mod D only, one in
// D of those in its range. Over whole sequences tokens are put in the order of their residues (0, D, 2 D, .., 1, D + 1,
// ..): then what a query sees lies side by side again, a band in its class, in tiles of which nearly all are FULL:
//
//   n = 8, D = 2:   tokens 0 2 4 6 | 1 3 5 7   in places 0 .. 7
//
// The order is an index (Visible::query_index), so mask, biases and dropout still speak of tokens. Queries may be the
// last T of S tokens: each class then has its keys of before in front, and classes without a query are left out. One
// query alone, as in decoding, may take every D-th key as a view.
#pragma once

#include "attention/seeing/plan.h"

namespace heed {

// Of T queries and S keys: which tiles, and who is at which place, i32 (1, 1, places).
struct Residues {
  Plan plan;  // pairs of the same residue, in tiles that the window touches; the window itself hides the others
  Tensor order, inverse;  // the query at each place, and the place of each query
  Tensor keys;            // the key at each place; for a whole sequence, T = S, the same as order
};
// apart: only keys at least so many steps of the dilation away; 1 leaves the query's own out, which another part has.
Residues residues_of(long T, long S, const Pattern& pattern, long apart = 0);

// The same with keys that all see besides: query i sees key j iff the window allows it or j is global. globals: boolean
// (n), or (B, n) for each sample its own. Here the plan says it all, and needs no window beside it; without a dilation
// places are tokens. A tile of keys that has a global one is visited by all queries.
Residues residues_with_globals(long n, const Pattern& window, const Tensor& globals);

// What mask and pattern allow, by places. Queries that are alone in their classes (T <= D) stay where they are.
// What engines return by places is brought back by by_tokens(y, residues.inverse).
Visible visible_residues(const Mask& mask, const Pattern& pattern, const Shape& B_H_T_S,
                         const std::shared_ptr<const Residues>& residues);

// Of a single query, at position S - 1: what mask and pattern allow it of the keys first_of_last(S), + D, + 2 D, ..
Visible visible_every(const Mask& mask, const Pattern& pattern, const Shape& B_H_T_S);
inline long first_of_last(long S, long D) { return (S - 1) % D; }  // the first key of the last one's residue

}  // namespace heed
