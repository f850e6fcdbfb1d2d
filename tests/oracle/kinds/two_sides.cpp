// A Core that makes choices from all tokens: each is on one of two sides, and sees its own side only.
//
//   side_j = [ a_j > mean_i a_i ],   a_j the first channel of key j in the first head;   softmax within a side
//
// Like hashing and routing it chooses with what comes later in sight: under a causal mask no value flows back, but
// which pairs are seen hangs on the whole text. It is causal, not strictly causal, and new tokens may change sides, so
// that chunks equal the pass over what has come so far and not the whole. A choice goes through ctx.decide, so that a
// block that is recomputed in backward finds the same. In the tests only, as an example.
#include "attention/multi_head.h"
#include "attention/seeing/visible.h"
#include "attention/softmax_core.h"
#include "autograd/ops/matmul.h"
#include "tensor/copy.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

class TwoSidesCore : public SoftmaxCore {
 public:
  explicit TwoSidesCore(const MixerOptions& mixer) : SoftmaxCore(mixer, nullptr) {}

  Capabilities can() const override {
    Capabilities can = every_mask();
    can.padding = can.length_free = can.strictly_causal = can.any_cut = false;
    can.because = "its sides are chosen from all tokens";
    return can;
  }

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override {
    const auto sides = ctx.decide<Tensor>(*this, [&] {
      const Tensor first = select(select(heads.k.value(), 1, 0), 2, 0);  // (B, S)
      return first.size(1) == 0 ? cast(first, i64) : cast(greater(first, mean(first, {1}, true)), i64);
    });
    const Shape shape{heads.q.size(0), heads.q.size(1), heads.q.size(2), heads.k.size(2)};
    return visible_pairs("two-sides", mask & segment_mask(sides), {}, shape);
  }
};

const RegisteredVariant variant{
    {.name = "two-sides",
     .summary = "a query sees the keys of its side, chosen from all tokens",
     .formula = "o_i over j with side_j = side_i: softmax attention",
     .time = {Growth::square},
     .memory = {Growth::linear},
     .source = "this test, 2026",
     .year = 2026,
     .when = "as an example of choices made from the data",
     .when_not = "a text is written token by token: sides change as it grows",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return multi_head<TwoSidesCore>(mixer); }}};

DenseAttention dense(const OracleCase& c, const Variable& x, const Variable& source) {
  const OracleHeads heads = dense_heads(c, x, source);
  const long B = x.size(0), S = x.size(1);
  const auto first = contiguous(select(select(heads.k.value(), 1, 0), 2, 0)).to_vector<double>();
  Tensor seen = dense_visible(c.mask, nullptr, {B, c.sizes.heads, S, S});
  bool* at = seen.mutable_data<bool>();
  for (long b = 0; b < B; b++) {
    double middle = 0;
    for (long j = 0; j < S; j++) middle += first[size_t(b * S + j)] / double(S);
    const auto side = [&](long j) { return first[size_t(b * S + j)] > middle; };
    for (long hi = 0; hi < c.sizes.heads * S; hi++)
      for (long j = 0; j < S; j++, at++) *at = *at && side(hi % S) == side(j);
  }
  const Variable weights = dense_softmax(dense_products(heads), seen);
  return {dense_out(c, matmul(weights, heads.v), S, false), weights};
}

const RegisteredOracle oracle{{.name = "two-sides", .dense = dense, .example = true}};

}  // namespace
