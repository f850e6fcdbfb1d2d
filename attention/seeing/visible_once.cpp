#include "attention/seeing/visible_once.h"

#include <sstream>

namespace heed {
namespace {

// The mask keeps its tensors alive, so that no other one can come to lie where they are.
struct Made {
  Mask mask;
  Visible visible;
};

}  // namespace

std::string text_of(const Pattern& p) {
  std::string text;
  for (const long number : {p.window_left, p.window_right, p.dilation, p.block, p.blocks_back, p.blocks_forward,
                            p.margin_left, p.margin_right, p.first_key})
    text.append(" ").append(std::to_string(number));
  return text;
}

std::string text_of(Device device) { return std::string(name(device.backend)) + ":" + std::to_string(device.index); }

Visible visible_once(Context& ctx, const std::string& what, const Mask& mask, const Shape& shape, Device device,
                     const std::function<Visible()>& make) {
  if (shape[2] <= 1) return make().on(device);  // decoding: the next one has more keys, and one range costs nothing
  std::ostringstream key;
  key << what << " " << shape << " " << device << " " << mask.identity();
  const std::function<Made()> made = [&] { return Made{mask, make().on(device)}; };
  return mask.of_batch() ? ctx.once<Made>(key.str(), made)->visible : ctx.plan<Made>(key.str(), made)->visible;
}

Visible visible_pairs_once(Context& ctx, const Mask& mask, const Pattern& pattern, const Shape& shape, Device device) {
  return visible_once(ctx, "pairs" + text_of(pattern), mask, shape, device,
                      [&] { return visible_pairs("attention", mask, pattern, shape); });
}

}  // namespace heed
