#include "attention/pattern_core.h"

#include <algorithm>

#include "attention/seeing/plan.h"

namespace heed {

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

Visible PatternCore::seen(const Heads& heads, const Mask& mask, Context& ctx) {
  const Shape shape{heads.q.size(0), heads.q.size(1), heads.q.size(2), heads.k.size(2)};
  Pattern pattern = pattern_;
  pattern.first_key = heads.first_key;
  if (globals_ == 0) return visible_pairs("attention", mask, pattern, shape);
  Visible visible = visible_pairs("attention", mask, {}, shape);
  visible.plan = plan(shape[2], shape[3], ctx);
  return visible;
}

// Kept between steps for whole sequences; while decoding S is another one every time.
std::shared_ptr<const Plan> PatternCore::plan(long T, long S, Context& ctx) const {
  const Pattern& p = pattern_;
  const auto make = [&] { return plan_of_globals(T, S, p, globals_); };
  if (T != S) return std::make_shared<const Plan>(make());
  std::string key = "globals";
  for (long number : {T, p.window_left, p.window_right, p.dilation, p.block, p.blocks_back, p.blocks_forward,
                      p.margin_left, p.margin_right, globals_})
    key.append(" ").append(std::to_string(number));
  return ctx.plan<Plan>(key, make);
}

}  // namespace heed
