#include "attention/band_core.h"

#include <algorithm>
#include <utility>

#include "attention/heads.h"
#include "attention/seeing/residues.h"
#include "attention/seeing/visible_once.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"

namespace heed {
namespace {

// What the mask lets queries see that are not global
Visible others(const Shape& shape, const Mask& mask, const Globals& globals) {
  const std::vector<bool> flags = globals.flags.to_vector<bool>();
  const long T = shape[2], S = shape[3], lists = globals.flags.size(0);
  return visible_ranges("attention", shape, mask, [&](long b, long i) {
    return flags[size_t((lists > 1 ? b : 0) * T + i)] ? kNoKeys : KeyRange{0, S - 1};
  });
}

struct Tiled {
  Visible visible;
  Tensor inverse;  // where each token's row is; undefined: places are tokens
};

// The plan is the same for every mask.
Tiled tiles(const Pattern& window, const Shape& shape, const Mask& mask, const Globals& globals, Context& ctx) {
  const long n = shape[2];
  const auto residues = globals.made<Residues>(ctx, "tiles" + text_of(window) + " " + std::to_string(n), {},
                                               [&] { return residues_with_globals(n, window, globals.flags); });
  Tiled made{others(shape, mask, globals), {}};
  made.visible.plan = {residues, &residues->plan};
  if (window.dilation == 1) return made;
  made.visible.query_index = made.visible.key_index = residues->order;
  made.inverse = residues->inverse;
  return made;
}

}  // namespace

std::vector<long> BandCore::LaterKeys::positions(long S) const {
  std::vector<long> all = globals.between(0, first);
  for (long p = first; long(all.size()) < S; p++) all.push_back(p);
  return all;
}

BandCore::BandCore(const MixerOptions& mixer, const Pattern& window) : PatternCore(mixer, {.pattern = window}) {}

Variable BandCore::local_rows(const Heads& heads, const Mask& mask, const Globals& globals, Context& ctx) {
  const Pattern window = now(ctx);
  const Shape shape = pairs_of(heads);
  const Device device = heads.q.value().device();
  const std::string key = "rows" + text_of(window) + " " + shape.str() + " " + text_of(device);
  const auto tiled = globals.made<Tiled>(ctx, key, mask, [&] {
    Tiled made = tiles(window, shape, mask, globals, ctx);
    if (made.inverse.defined()) made.inverse = checked_rows("attention", made.inverse, shape[2], device);
    return Tiled{made.visible.on(device), made.inverse};
  });
  const SoftmaxOutputs out = softmax_attention(inputs(heads, mask, ctx), tiled->visible, options(ctx));
  return tiled->inverse.defined() ? by_tokens(out, tiled->inverse).o : out.o;
}

Tensor BandCore::local_weights(const Heads& heads, const Mask& mask, const Globals& globals, Context& ctx) {
  const Shape shape = pairs_of(heads);
  Visible visible = others(shape, mask, globals);
  visible.plan = std::make_shared<Plan>(plan_of_globals(shape[2], shape[3], now(ctx), globals.flags));
  return softmax_attention_weights(inputs(heads, mask, ctx), visible.on(heads.q.value().device()));
}

// Far keys are nearer by their numbers than by their positions. The window does not mind, as they are global; that of
// the mask does.
Variable BandCore::later_rows(const Heads& heads, const Mask& mask, const LaterKeys& keys, Context& ctx) {
  const Shape shape = pairs_of(heads);
  const long T = shape[2], S = shape[3];
  if (T == 1 && !mask.of_batch() && !drops(ctx)) return single_row(heads, mask.window_left, keys, ctx);
  const std::vector<long> positions = keys.positions(S);
  std::vector<bool> global;
  for (const long p : positions) global.push_back(keys.globals.holds(p));
  Mask rest = mask;
  const long reach = std::exchange(rest.window_left, -1);
  Visible visible = visible_ranges("attention", shape, rest, [&](long, long i) -> KeyRange {
    const size_t own = size_t(i + S - T);
    if (global[own]) return kNoKeys;
    if (reach < 0) return {0, S - 1};
    return {std::lower_bound(positions.begin(), positions.end(), positions[own] - reach) - positions.begin(), S - 1};
  });
  visible.plan = std::make_shared<Plan>(plan_of_globals(T, S, now(ctx), from_vector(global, {S})));
  return softmax_attention(inputs(heads, mask, ctx), visible.on(heads.q.value().device()), options(ctx)).o;
}

// One query, as in decoding: of keys and values just those that it sees, so that nothing has to be planned or moved.
Variable BandCore::single_row(const Heads& heads, long most, const LaterKeys& keys, Context& ctx) {
  const Pattern window = now(ctx);
  const std::vector<long> positions = keys.positions(heads.k.size(2));
  const long S = long(positions.size()), D = window.dilation, p = positions.back();
  const long reach = most < 0 ? window.window_left * D : std::min(window.window_left * D, most);
  const auto apart = [&](long j) {  // a global token that the window leaves out
    const long distance = p - positions[size_t(j)];
    return keys.globals.holds(positions[size_t(j)]) && (most < 0 || distance <= most) &&
           (distance > reach || distance % D != 0);
  };
  std::vector<Variable> k, v;
  const auto add = [&](long begin, long end, long step) {
    k.push_back(slice(heads.k, 2, begin, end, step)), v.push_back(slice(heads.v, 2, begin, end, step));
  };
  for (long begin = 0, end; begin < S; begin = end + 1) {  // those side by side at once
    for (end = begin; end < S && apart(end);) end++;
    if (end > begin) add(begin, end, 1);
  }
  add(S - 1 - std::min(reach, p - keys.first) / D * D, S, D);
  const Variable all_k = concatenate(k, 2), all_v = concatenate(v, 2);
  const Heads few = heads.with(heads.q, all_k, all_v);
  const Visible visible = visible_ranges("attention", pairs_of(few), {}, [&](long, long) {
    return keys.globals.holds(p) ? kNoKeys : KeyRange{0, S - 1};
  });
  return softmax_attention(inputs(few, {}, ctx), visible.on(heads.q.value().device())).o;
}

}  // namespace heed
