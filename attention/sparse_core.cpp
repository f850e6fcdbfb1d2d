#include "attention/sparse_core.h"

#include "attention/column_views.h"
#include "attention/heads.h"
#include "attention/seeing/residues.h"
#include "attention/seeing/visible_once.h"
#include "tensor/ops/indices.h"

namespace heed {
namespace {

// Strided: keys of a query's column that are in its window too, on one side, besides its own
long rows_in_window(const SparseRule& rule) { return rule.window / rule.parts.block; }

// Of a query at position p, the last one: in how many rows before its own it looks at its columns
long rows_before(const SparseRule& rule, long p) {
  return p / rule.parts.block - (!rule.fixed && rule.merged() ? rows_in_window(rule) : 0);
}

// and which keys it has in its own row, or in its window
KeyRange last_row(const SparseRule& rule, long h, long p) {
  const SummaryPattern& parts = rule.parts;
  const long row = p / parts.block * parts.block, first = row + parts.first_column(h);
  if (parts.sees_own(h)) return {rule.fixed ? row : p - rule.window, p};
  return rule.fixed ? KeyRange{first, first + parts.columns - 1} : KeyRange{p, p};
}

// Its columns: fixed has a list for each head, strided one for each residue.
ColumnLists lists_of(const SparseRule& rule) {
  const SummaryPattern& parts = rule.parts;
  ColumnLists lists{rule.text(), parts.block, rule.fixed ? parts.columns : 1, {}};
  const long count = !rule.fixed ? parts.block : parts.groups > 1 ? parts.heads : 1;
  for (long n = 0; n < count; n++) lists.first.push_back(rule.fixed ? parts.first_column(n) : n);
  return lists;
}

}  // namespace

bool SparseRule::sees(long h, long p, long j) const {
  if (fixed) return parts.sees(h, p, j);
  const long distance = std::labs(p - j);
  return (parts.sees_own(h) && distance <= window) || (parts.sees_summaries(h) && distance % parts.block == 0);
}

std::string SparseRule::text() const {
  return (fixed ? "sparse fixed" : "sparse strided") + parts.text() + " " + std::to_string(window);
}

struct SparseCore::Call {
  const Heads& heads;
  const Mask& mask;
  Context& ctx;
  Shape shape;  // (B, H, T, S)
  long T, S;
  Device device;

  Call(const Heads& given, const Mask& seen, Context& context)
      : heads(given),
        mask(seen),
        ctx(context),
        shape(pairs_of(given)),
        T(shape[2]),
        S(shape[3]),
        device(given.q.value().device()) {}
  std::string sizes() const {  // what plans depend on
    return (mask.causal ? " causal " : " ") + std::to_string(T) + " " + std::to_string(S);
  }
};

SparseCore::SparseCore(const MixerOptions& mixer, const SparseRule& rule, const BiasMaker& bias)
    : SoftmaxCore(mixer, bias), rule_(rule), lists_(lists_of(rule)), text_(rule.text()) {}

Capabilities SparseCore::can() const {
  Capabilities can = every_mask();
  can.rotary = allows_rotary();
  can.because = "its pattern is one of positions in one sequence";
  return can;
}

long SparseCore::reach() const {
  if (rule_.has_second()) return -1;
  return rule_.fixed ? rule_.parts.block - 1 : rule_.window;
}

Variable SparseCore::attend(const Heads& heads, const Mask& mask, Context& ctx) {
  const Call call(heads, mask, ctx);
  const SoftmaxInputs in = inputs(heads, mask, ctx);
  const SoftmaxOptions draw = options(ctx);  // one for all parts: no pair is in two
  const auto part = [&](const Visible& visible) { return softmax_attention(in, visible, draw); };
  if (!rule_.has_second() || call.T == 0) return part(near(call)).o;
  if (call.T == 1) {
    const SoftmaxOutputs row = part(last_row(call));
    return heed::rows_before(rule_, call.S - 1) > 0 ? merge({row, part(rows_before(call))}).o : row.o;
  }
  if (rule_.fixed) return part(summaries(call)).o;
  std::vector<SoftmaxOutputs> parts;
  if (!biased() && draw.dropout == 0 && rule_.alike() && whole_rows(heads, mask, rule_.parts.block)) {
    parts = column_attention(heads, mask, rule_.parts.block, apart(), ctx);
  } else {
    const auto sorted = residues(call);
    parts = {in_order(part(columns(call, sorted)), call, *sorted)};
  }
  if (rule_.has_first()) parts.push_back(part(near(call)));
  return parts.size() == 1 ? parts[0].o : merge(parts).o;
}

// By tokens, pair by pair: for pictures
Visible SparseCore::seen(const Heads& heads, const Mask& mask, Context& ctx) {
  const Call call(heads, mask, ctx);
  const long ahead = call.S - call.T + heads.first_key;
  Visible visible = visible_pairs_once(ctx, mask, {}, call.shape, call.device);
  visible.plan =
      std::make_shared<const Plan>(plan_of_pairs({call.T, call.S, 1, call.shape[1]}, [&](const PlanPair& at) {
        return rule_.sees(at.h, at.i + ahead, at.j + heads.first_key);
      }));
  return visible;
}

Visible SparseCore::by_heads(const Call& call, const char* what, const KeysOfHead& keys) const {
  return visible_once(
      call.ctx, [&] { return what + text_; }, call.mask, call.shape, call.device,
      [&] { return visible_ranges_by_head("attention", call.shape, call.mask, keys); });
}

// The first pattern, for the heads that have it
Visible SparseCore::near(const Call& call) const {
  Pattern pattern{.window_left = rule_.window, .window_right = rule_.window, .first_key = call.heads.first_key};
  if (rule_.fixed) pattern = {.block = rule_.parts.block, .first_key = call.heads.first_key};
  if (rule_.alike()) return visible_pairs_once(call.ctx, call.mask, pattern, call.shape, call.device);
  return by_heads(call, "near ", [&](long h, long i) {
    return rule_.parts.sees_own(h) ? pattern.range(i + call.S - call.T, call.S) : kNoKeys;
  });
}

// All keys, for the heads that have the second one
Visible SparseCore::far(const Call& call) const {
  if (rule_.alike()) return visible_pairs_once(call.ctx, call.mask, {}, call.shape, call.device);
  return by_heads(call, "far ", [&](long h, long) {
    return rule_.parts.sees_summaries(h) ? KeyRange{0, call.S - 1} : kNoKeys;
  });
}

// ---- a single query

Visible SparseCore::last_row(const Call& call) const {
  if (rule_.merged()) return near(call);
  return by_heads(call, "row ", [&](long h, long) { return heed::last_row(rule_, h, call.S - 1); });
}

Visible SparseCore::rows_before(const Call& call) const {
  const long p = call.S - 1;
  Visible visible = far(call);
  look_at_columns(visible, lists_, heed::rows_before(rule_, p), rule_.fixed ? kEveryList : p % rule_.parts.block,
                  call.ctx);
  return visible;
}

// ---- fixed

// The second pattern, with the first where a head has both
Visible SparseCore::summaries(const Call& call) const {
  const auto made = call.ctx.plan<Summaries>(
      text_ + call.sizes(), [&] { return summaries_of(call.T, call.S, rule_.parts, call.mask.causal); });
  return visible_once(
      call.ctx, [&] { return "summaries " + text_; }, call.mask, call.shape, call.device,
      [&] {
        Visible visible = visible_pairs("attention", call.mask, {}, call.shape);
        visible.plan = {made, &made->plan};
        visible.key_index = made->keys;
        return visible;
      });
}

// ---- strided

// The second pattern is without what a head has in the first already: the rows nearest to its own.
long SparseCore::apart() const { return rule_.merged() ? rows_in_window(rule_) + 1 : 0; }

std::shared_ptr<const Residues> SparseCore::residues(const Call& call) const {
  const Pattern column{.window_right = call.mask.causal ? 0 : -1, .dilation = rule_.parts.block};
  return call.ctx.plan<Residues>(text_ + call.sizes(), [&] { return residues_of(call.T, call.S, column, apart()); });
}

Visible SparseCore::columns(const Call& call, const std::shared_ptr<const Residues>& sorted) const {
  const Pattern column{.dilation = rule_.parts.block};
  Visible visible = visible_once(
      call.ctx, [&] { return "columns " + text_; }, call.mask, call.shape, call.device,
      [&] { return visible_residues(call.mask, column, call.shape, sorted); });
  if (rule_.alike()) return visible;
  const Visible some = far(call);
  visible.first = some.first, visible.last = some.last;
  return visible;
}

SoftmaxOutputs SparseCore::in_order(const SoftmaxOutputs& y, const Call& call, const Residues& sorted) const {
  if (call.T <= rule_.parts.block) return y;  // it is
  const std::string name = "inverse of " + text_ + call.sizes() + " on " + text_of(call.device);
  return by_tokens(
      y, *call.ctx.plan<Tensor>(name, [&] { return checked_rows("attention", sorted.inverse, call.T, call.device); }));
}

}  // namespace heed
