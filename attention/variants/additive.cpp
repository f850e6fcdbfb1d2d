// Additive attention: the score of a pair comes out of a small network instead of a dot product.
//
//   s_ij = <u, tanh(Wq x_i + Wk y_j + c)>,   o_i = sum_j softmax_j(s_ij) Wv y_j          a vector u per head
//
// The first attention of all, from before transformers: it made translation by recurrent networks work. Time O(n^2 D)
// like full attention, but every product is a tanh, some twenty times as slow; memory O(n D). It needs no 1/sqrt(D):
// |s| is at most the sum of |u|. Decoding keeps projected keys and values. (Bahdanau et al., 2014.)
#include <algorithm>

#include "attention/engines/row_engine.h"
#include "attention/heads.h"
#include "attention/multi_head.h"
#include "attention/seeing/visible_once.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "nn/mixing/registry.h"

namespace heed {
namespace {

class AdditiveCore : public Core {
 public:
  explicit AdditiveCore(const MixerOptions& mixer)
      : u_(parameter("u", {mixer.heads, mixer.head_width}, init::fan_in(), false)), dropout_(mixer.dropout) {}

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override {
    constexpr long kNumbers = 1 << 20;  // tanh of so many at a time
    const long row = std::max(1L, heads.k.numel());
    RowOptions options{.rows = std::clamp(kNumbers / row, 1L, 64L)};
    if (ctx.train && dropout_ > 0) options.dropout = dropout_, options.key = ctx.random(*this);
    const long H = heads.q.size(1);
    return row_attention(scores, {heads.q, for_all_heads(heads.k, H), u_}, for_all_heads(heads.v, H),
                         seen(heads, mask, ctx), options);
  }
  Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) override {
    return row_attention_weights(scores, {heads.q, for_all_heads(heads.k, heads.q.size(1)), u_},
                                 seen(heads, mask, ctx));
  }
  Capabilities can() const override {
    Capabilities can = every_mask();
    can.cross = true;
    return can;
  }

 private:
  static Visible seen(const Heads& heads, const Mask& mask, Context& ctx) {
    const Shape shape = pairs_of(heads);
    return visible_pairs_once(ctx, mask, {}, shape, heads.q.value().device());
  }

  // inputs q (B, H, T, D), k (B, H, S, D), u (H, D) -> (B, H, rows, S)
  static Variable scores(const std::vector<Variable>& in, long begin, long end) {
    const Variable q = unsqueeze(slice(in[0], 2, begin, end), 3), k = unsqueeze(in[1], 2);
    const long H = in[2].size(0), D = in[2].size(1);
    return sum(tanh(q + k) * reshape(in[2], {1, H, 1, 1, D}), {-1});
  }

  Variable& u_;
  double dropout_;
};

const RegisteredVariant additive{
    {.name = "additive",
     .summary = "the score is a small network: u tanh(q + k)",
     .formula = "o_i = sum_j softmax_j(<u, tanh(q_i + k_j)>) v_j",
     .time = {Growth::square},
     .memory = {Growth::linear},
     .source = "Bahdanau et al., 2014",
     .year = 2014,
     .when = "short sequences whose match is no dot product",
     .when_not = "anything long: a tanh per channel of every pair, some twenty times a product",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return multi_head<AdditiveCore>(mixer); }}};

}  // namespace
}  // namespace heed
