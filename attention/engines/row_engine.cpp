#include "attention/engines/row_engine.h"

#include <limits>

#include "attention/engines/keep.h"
#include "attention/seeing/pair_count.h"
#include "attention/seeing/plan.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "autograd/recompute.h"
#include "tensor/ops/compare.h"

namespace heed {
namespace {

Variable weights_of(const Variable& s, const Visible& visible, long begin, long end) {
  return softmax(masked_fill(s, logical_not(visible.dense(begin, end)), -std::numeric_limits<double>::infinity()));
}

Variable block_of(const RowScores& scores, const std::vector<Variable>& inputs, const Visible& visible,
                  const RowOptions& options, long begin, long end) {
  const std::vector<Variable> own(inputs.begin(), inputs.end() - 1);  // the last one is v
  Variable p = weights_of(scores(own, begin, end), visible, begin, end);
  if (options.dropout > 0) {
    const RandomKey key = key_from_head(options.key, options.first_head);
    const Shape all{visible.B, visible.H, visible.T, visible.S};
    const Tensor keep = attention_keep({all, begin, end}, key, options.dropout, p.value().device());
    p = masked_fill(p * (1 / (1 - options.dropout)), logical_not(keep), 0);
  }
  return matmul(p, inputs.back());
}

}  // namespace

Variable row_attention(const RowScores& scores, const std::vector<Variable>& inputs, const Variable& v,
                       const Visible& given, const RowOptions& options) {
  const Visible visible = given.on(v.value().device());
  HEED_CHECK(options.rows >= 1, "row_attention", "rows is ", options.rows, "; it must be at least 1");
  HEED_CHECK(!visible.indexed(), "row_attention",
             "the visible pairs have an index; this engine works on tokens. Use a plan without one");
  PairCounter::note(visible);
  std::vector<Variable> all = inputs, blocks;
  all.push_back(v);
  std::vector<Saved> watched;
  for (const Tensor& x : visible.tensors()) watched.push_back(Saved(x));
  for (long begin = 0; begin == 0 || begin < visible.T; begin += options.rows) {  // also of no queries one block
    const long end = std::min(visible.T, begin + options.rows);
    blocks.push_back(recompute(
        [=](const std::vector<Variable>& x) {
          for (const Saved& each : watched) each.get();  // throws if somebody wrote there
          return block_of(scores, x, visible, options, begin, end);
        },
        all, nullptr));
  }
  return blocks.size() == 1 ? blocks[0] : concatenate(blocks, 2);
}

Tensor row_attention_weights(const RowScores& scores, const std::vector<Variable>& inputs, const Visible& visible) {
  const Variable s = scores(inputs, 0, visible.T);
  return weights_of(s, visible.on(s.value().device()), 0, visible.T).value();
}

}  // namespace heed
