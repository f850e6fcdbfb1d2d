// Visible: which keys a query sees, in the form in which the engines read it. What a mask says is nearly always a range:
// causal, a window, a block, padding, one document among others are all "the keys first..last", and where ranges meet
// is a range again. What is no range is a label: a pair is visible only if query and key have the same (the residues of a
// dilated window, segments that come back later). Everything else is a table of pairs.
#pragma once

#include "attention/mask.h"

namespace heed {

// A pattern of positions, which a variant adds to the mask. Query i stands at position p = i + S - T.
struct Pattern {
  long window_left = -1, window_right = -1;  // how many keys before and after p, in steps of `dilation`; -1: no limit
  long dilation = 1;                         // only keys whose distance is a multiple of it
  long block = 0;  // > 0: positions are cut into blocks of this size, and a query sees its own,
  long blocks_back = 0, blocks_forward = 0;  // so many before it and so many after it
  long first_key = 0;                        // the position of key 0, if those before it are forgotten
};

struct Visible {
  long B = 0, H = 0, T = 0, S = 0;
  Tensor first{}, last{};               // i32 (B or 1, T): query i sees the keys first[i]..last[i]
  Tensor query_labels{}, key_labels{};  // i32 (B or 1, T) and (B or 1, S); undefined: all have the same
  Tensor allow{};                       // boolean, broadcasts to (B, H, T, S); undefined: everything

  Tensor dense() const;                      // boolean (B, H, T, S): for pictures and references
  Tensor dense(long begin, long end) const;  // its rows begin .. end; expanded where heads or samples are alike
};

// What both the mask and the pattern allow. Throws if the mask does not fit.
Visible visible_pairs(const char* op, const Mask& mask, const Pattern& pattern, const Shape& B_H_T_S);

}  // namespace heed
