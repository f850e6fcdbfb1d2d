#include "attention/seeing/visible_once.h"

#include <sstream>

#include "nn/mixing/mask_once.h"

namespace heed {
std::string text_of(const Pattern& p) {
  std::string text;
  for (const long number : {p.window_left, p.window_right, p.dilation, p.block, p.blocks_back, p.blocks_forward,
                            p.margin_left, p.margin_right, p.first_key})
    text.append(" ").append(std::to_string(number));
  return text;
}

std::string text_of(Device device) {
  std::ostringstream text;
  text << device;
  return text.str();
}

Visible visible_once(Context& ctx, const std::function<std::string()>& what, const Mask& mask, const Shape& shape,
                     Device device, const std::function<Visible()>& make) {
  if (shape[2] <= 1) {  // decoding: the next token has more keys, and most often nothing has to be moved
    const Visible visible = make();
    if (device == cpu || (visible.by_value() && !visible.key_labels.defined() && !visible.allow.defined()))
      return visible.on(device);
  }
  const std::string key = what() + " " + shape.str() + " " + text_of(device);
  return *made_once<Visible>(ctx, key, mask, [&] { return make().on(device); });
}

Visible visible_pairs_once(Context& ctx, const Mask& mask, const Pattern& pattern, const Shape& shape, Device device) {
  return visible_once(
      ctx, [&] { return "pairs" + text_of(pattern); }, mask, shape, device,
      [&] { return visible_pairs("attention", mask, pattern, shape); });
}

}  // namespace heed
