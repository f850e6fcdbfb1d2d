#include "attention/plan_core.h"

#include "attention/seeing/plan.h"
#include "attention/seeing/visible_once.h"

namespace heed {

// Kept between steps, and shared by layers of the same key.
Visible PlanCore::seen(const Heads& heads, const Mask& mask, Context& ctx) {
  const PlanFor at{heads.q.size(2), heads.k.size(2), heads.first_key};
  Visible visible =
      visible_pairs_once(ctx, mask, {}, {heads.q.size(0), heads.q.size(1), at.T, at.S}, heads.q.value().device());
  std::string text = key();
  for (long number : {at.T, at.S, at.first_key}) text.append(" ").append(std::to_string(number));
  visible.plan = ctx.plan<Plan>(text, [&] { return plan(at); });
  return visible;
}

}  // namespace heed
