#include "attention/pattern_core.h"

#include <algorithm>

#include "attention/heads.h"
#include "attention/seeing/plan.h"
#include "attention/seeing/residues.h"
#include "attention/seeing/visible_once.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/views.h"
#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"

namespace heed {
namespace {

// The entries of a bias by query, (B, H, T, 2 c + 1), for distances 0, +-D, +-2 D, .. as those of 0, +-1, +-2, ..
Variable every_distance(const Variable& by_query, long D, Context& ctx) {
  const long c = by_query.size(3) / 2, most = ceil_div(c, D);
  const Device device = by_query.value().device();
  const auto entries =
      ctx.plan<Tensor>("every " + std::to_string(D) + " of " + std::to_string(c) + " on " + text_of(device), [&] {
        std::vector<int64_t> list;
        for (long d = -most; d <= most; d++) list.push_back(std::clamp(d * D, -c, c) + c);
        return checked_indices("attention", from_vector(list, {long(list.size())}), 2 * c + 1, device);
      });
  return index_select(by_query, 3, *entries);
}

}  // namespace

PatternCore::PatternCore(const MixerOptions& mixer, const PatternOptions& options)
    : SoftmaxCore(mixer, options.bias), pattern_(options.pattern), globals_(options.globals) {}

Capabilities PatternCore::can() const {
  const Pattern& p = pattern_;
  const bool all = p.window_left < 0 && p.window_right < 0 && p.dilation == 1 && p.block == 0;  // no block: no margins
  Capabilities can = every_mask();
  can.cross = can.exact = all;
  can.rotary = allows_rotary();
  if (!all) can.because = "its pattern is one of positions in one sequence";
  return can;
}

long PatternCore::reach() const {
  if (globals_ > 0) return -1;  // what is kept has no gaps, and the first tokens are needed to the end
  const Pattern& p = pattern_;
  const long window = p.window_left < 0 ? -1 : p.window_left * p.dilation;
  const long blocks = p.block == 0 ? -1 : (p.blocks_back + 1) * p.block - 1 + p.margin_left;
  return window < 0 ? blocks : blocks < 0 ? window : std::min(window, blocks);
}

Pattern PatternCore::now(const Context& ctx) const {
  Pattern pattern = pattern_;
  pattern.window_left = ctx.scaled(pattern.window_left);
  pattern.window_right = ctx.scaled(pattern.window_right);
  return pattern;
}

Pattern PatternCore::pattern_at(const Heads& heads, const Context& ctx) const {
  Pattern pattern = now(ctx);
  pattern.first_key = heads.first_key;
  return pattern;
}

Visible PatternCore::seen(const Heads& heads, const Mask& mask, Context& ctx) {
  const Shape shape = pairs_of(heads);
  const Device device = heads.q.value().device();
  if (globals_ == 0) return visible_pairs_once(ctx, mask, pattern_at(heads, ctx), shape, device);
  Visible visible = visible_pairs_once(ctx, mask, {}, shape, device);
  visible.plan = plan(shape[2], shape[3], ctx);
  return visible;
}

std::string PatternCore::key(const std::string& kind, long T, const Pattern& p) const {
  return kind + " " + std::to_string(T) + " " + std::to_string(globals_) + text_of(p);
}

// For whole sequences, and kept between steps; others are for pictures only.
std::shared_ptr<const Plan> PatternCore::plan(long T, long S, Context& ctx) const {
  const Pattern pattern = now(ctx);
  const auto make = [&] { return plan_of_globals(T, S, pattern, globals_); };
  return T == S ? ctx.plan<Plan>(key("globals", T, pattern), make) : std::make_shared<const Plan>(make());
}

Variable PatternCore::attend(const Heads& heads, const Mask& mask, Context& ctx) {
  const bool planned = heads.q.size(2) == heads.k.size(2) && pattern_.dilation == 1;
  if (globals_ > 0 && planned) return SoftmaxCore::attend(heads, mask, ctx);
  const SoftmaxOptions draw = options(ctx);
  return globals_ > 0 ? with_globals(heads, mask, draw, ctx) : window(heads, mask, draw, ctx).o;
}

// Two parts without a plan, merged: pairs with a global token, and those of the window without one. No pair is in both,
// so one key of dropout serves both.
Variable PatternCore::with_globals(const Heads& heads, const Mask& mask, const SoftmaxOptions& options, Context& ctx) {
  const Shape shape = pairs_of(heads);
  const long T = shape[2], S = shape[3];
  const auto keys = [&](const KeyRange& of_global, const KeyRange& of_others) {  // by queries
    std::vector<int64_t> ranges;
    for (long p = S - T; p < S; p++) {
      const KeyRange& own = p >= 0 && p < globals_ ? of_global : of_others;
      ranges.push_back(own.first), ranges.push_back(own.last);
    }
    return from_vector(ranges, {1, T, 2});
  };
  const auto kept = [&](const char* whose, const KeyRange& of_global, const KeyRange& of_others) {
    if (T == 1) return mask & range_mask(keys(of_global, of_others));  // decoding: the next token has more keys
    const std::string name = std::string(whose) + " " + shape.str() + " " + std::to_string(globals_);
    return mask & range_mask(*ctx.plan<Tensor>(name, [&] { return keys(of_global, of_others); }));
  };
  const Mask global = kept("of globals", {0, S - 1}, {0, globals_ - 1});
  const Mask others = kept("of others", {1, 0}, {globals_, S - 1});
  const Visible seen = visible_pairs_once(ctx, global, {}, shape, heads.q.value().device());
  return merge({softmax_attention(inputs(heads, mask, ctx), seen, options), window(heads, others, options, ctx)}).o;
}

SoftmaxOutputs PatternCore::window(const Heads& heads, const Mask& mask, const SoftmaxOptions& options, Context& ctx) {
  const long T = heads.q.size(2), S = heads.k.size(2);
  const bool dilated = pattern_.dilation > 1 && S > 0;
  if (dilated && T <= S && T > (T == S ? 1 : kPlanTile)) return many_dilated(heads, mask, options, ctx);
  if (dilated && T == 1 && options.dropout == 0) return single_dilated(heads, mask, ctx);
  const Visible visible =
      visible_pairs_once(ctx, mask, pattern_at(heads, ctx), pairs_of(heads), heads.q.value().device());
  return softmax_attention(inputs(heads, mask, ctx), visible, options);
}

// A whole sequence, or a long piece of it behind what a State holds.
SoftmaxOutputs PatternCore::many_dilated(const Heads& heads, const Mask& mask, const SoftmaxOptions& options,
                                         Context& ctx) {
  const long T = heads.q.size(2), S = heads.k.size(2);
  const Pattern pattern = now(ctx);
  const std::string name = key("residues of " + std::to_string(S), T, pattern);
  const auto residues = ctx.plan<Residues>(name, [&] { return residues_of(T, S, pattern); });
  const Pattern at = pattern_at(heads, ctx);
  const Device device = heads.q.value().device();
  const Visible visible = visible_once(
      ctx, [&] { return "residues" + text_of(at); }, mask, pairs_of(heads), device,
      [&] { return visible_residues(mask, at, pairs_of(heads), residues); });
  const auto inverse = ctx.plan<Tensor>("inverse of " + name + " on " + text_of(device),
                                        [&] { return checked_rows("attention", residues->inverse, T, device); });
  return by_tokens(softmax_attention(inputs(heads, mask, ctx), visible, options), *inverse);
}

// One query and the keys of its residue: every D-th one, with every D-th entry of the biases. Without dropout: that
// would be drawn by the numbers of these few keys.
SoftmaxOutputs PatternCore::single_dilated(const Heads& heads, const Mask& mask, Context& ctx) {
  const long S = heads.k.size(2), D = pattern_.dilation, first = first_of_last(S, D);
  const Variable k = slice(heads.k, 2, first, S, D), v = slice(heads.v, 2, first, S, D);
  SoftmaxInputs in;
  if (heads.key_positions) {
    const Tensor keys = slice(*heads.key_positions, 1, first, S, D);
    Heads few = heads.with(heads.q, k, v);
    few.key_positions = &keys;
    in = inputs(few, mask, ctx);
  } else {
    in = inputs(heads, mask, ctx);
    in.k = k, in.v = v;
    if (in.by_distance.defined()) in.by_distance = slice(in.by_distance, 1, 0, S, D);
    if (in.by_query.defined()) in.by_query = every_distance(in.by_query, D, ctx);
  }
  return softmax_attention(in, visible_every(mask, pattern_at(heads, ctx), pairs_of(heads)));
}

}  // namespace heed
