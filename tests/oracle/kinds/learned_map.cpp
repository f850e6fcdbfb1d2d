// A Core with parameters per position: who listens to whom is learned, whatever the tokens say.
//
//   o_i = sum_j softmax_j(M_ij) v_j,   M of its own for every head, for max_length tokens at most
//
// It asks MultiHead for values only: there are neither queries nor keys. A map that was learned for whole sequences
// knows no causal order, so that it is for encoders and refuses a causal mask. In the tests only, as an example.
#include "attention/heads.h"
#include "attention/multi_head.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/ops/where.h"
#include "tensor/ops/compare.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

class LearnedMapCore : public Core {
 public:
  explicit LearnedMapCore(const MixerOptions& s)
      : map_(parameter("map", {s.heads, s.max_length, s.max_length}, init::normal(0.02))) {}

  Projections projections() const override { return {.queries = false, .keys = false}; }
  Variable attend(const Heads& heads, const Mask& mask, Context&) override {
    return matmul(listens(heads, mask), for_all_heads(heads.v, map_.size(0)));
  }
  Tensor weights(const Heads& heads, const Mask& mask, Context&) override { return listens(heads, mask).value(); }
  Capabilities can() const override {
    return {.padding = true,
            .pairs = true,
            .length_free = true,  // the map of a short sequence is a corner of the whole
            .needs_max_length = true,
            .because = "its map is learned for whole sequences"};
  }

 private:
  // softmax_j(M_ij), (B, H, T, T). Where nothing is seen softmax gives equal weights, and all are taken back.
  Variable listens(const Heads& heads, const Mask& mask) const {
    const long B = heads.v.size(0), H = map_.size(0), T = heads.v.size(2);
    const Tensor seen = to(mask.dense(B, H, T, T), map_.value().device());
    const Variable corner = expand(slice(slice(map_, 1, 0, T), 2, 0, T), {B, H, T, T});
    return softmax(masked_fill(corner, logical_not(seen), -1e30)) * Variable(cast(seen, corner.dtype()));
  }

  Variable& map_;
};

const RegisteredVariant variant{
    {.name = "learned-map",
     .summary = "who listens to whom is learned by position",
     .formula = "o_i = sum_j softmax_j(M_ij) v_j",
     .time = {Growth::square},
     .memory = {Growth::square},
     .source = "this test, 2026",
     .year = 2026,
     .when = "as an example of parameters per position",
     .when_not = "sequences differ in where things stand",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return multi_head<LearnedMapCore>(mixer); }}};

Variable score(const OracleCase& c, const OracleHeads& heads) {
  const long B = heads.v.size(0), T = heads.v.size(2);
  return expand(slice(slice(c.parameter("core.map"), 1, 0, T), 2, 0, T), {B, c.sizes.heads, T, T});
}

MixerOptions small(long C, long heads, long value_width) {
  return {.C = C, .heads = heads, .value_width = value_width, .max_length = 40};
}
const MixerOptions kSizes{.C = 10, .heads = 4, .key_heads = 2, .head_width = 3, .value_width = 5, .max_length = 300};

const RegisteredOracle oracle{{.name = "learned-map",
                               .sees = every_pair,
                               .score = score,
                               .sizes = kSizes,
                               .other_sizes = {small(12, 3, 0), small(6, 1, 0), small(4, 2, 8)},
                               .example = true}};

}  // namespace
