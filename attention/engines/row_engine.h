// Engine 3: softmax attention with any score, some rows at a time. The scores of a block of queries against all keys
// are made, normalised and used, then forgotten; backward makes them again. Memory O(rows S) for what one block needs,
// whatever the score is:
//
//   p_ij = softmax_j(s_ij) over the visible j,   o_i = sum_j p_ij v_j,   s from the caller
//
// For scores that are no dot product (additive attention), where the softmax engine does not fit.
#pragma once

#include <functional>
#include <vector>

#include "attention/seeing/visible.h"
#include "autograd/variable.h"
#include "tensor/random.h"

namespace heed {

// The scores (B, H, end - begin, S) of the queries begin .. end. It must depend on its inputs alone.
using RowScores = std::function<Variable(const std::vector<Variable>& inputs, long begin, long end)>;

struct RowOptions {
  long rows = 16;      // queries at a time
  double dropout = 0;  // of the weights, drawn as attention/engines/keep.h says
  RandomKey key = {};
  long first_head = 0;  // the number of the first head, if these are some of a whole
};

// inputs: everything the scores are made of; v (B, H, S, Dv) -> (B, H, T, Dv)
Variable row_attention(const RowScores& scores, const std::vector<Variable>& inputs, const Variable& v,
                       const Visible& visible, const RowOptions& options = {});

// The weights (B, H, T, S) without dropout, for pictures and tests.
Tensor row_attention_weights(const RowScores& scores, const std::vector<Variable>& inputs, const Visible& visible);

}  // namespace heed
