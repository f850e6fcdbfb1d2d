#include "show/palette.h"

#include <algorithm>
#include <cmath>

#include "system/text.h"

namespace heed {

std::string hex(Colour c) { return format("#%02x%02x%02x", c.red, c.green, c.blue); }

Colour mix(Colour a, Colour b, double t) {
  t = t > 0 ? std::min(t, 1.0) : 0;
  const auto between = [t](double x, double y) { return uint8_t(std::lround(x + (y - x) * t)); };
  return {between(a.red, b.red), between(a.green, b.green), between(a.blue, b.blue)};
}

namespace palette {

Colour sequential(double t) {
  constexpr Colour kPale = rgb(0xd6e6f2), kDark = rgb(0x0c2744);
  return t < 0.5 ? mix(kPale, kSeen, 2 * t) : mix(kSeen, kDark, 2 * t - 1);
}

Colour diverging(double t) {
  constexpr Colour kBlues[] = {rgb(0xf7f5f0), rgb(0xc3d9e6), rgb(0x7fb1d0), rgb(0x3c83b5), kBlue};
  constexpr Colour kOranges[] = {rgb(0xf7f5f0), rgb(0xfbdcb8), rgb(0xf7b878), rgb(0xe98b3a), rgb(0xbf5b12)};
  const double place = std::min(std::abs(t), 1.0) * 4;
  const int i = place < 3 ? int(place) : 3;  // NaN: the last colours
  const Colour* map = t < 0 ? kBlues : kOranges;
  return mix(map[i], map[i + 1], place - i);
}

std::span<const Tone> tones() {
  static constexpr Tone kTones[] = {
      {"background", kBackground, rgb(0x14181d)},
      {"ink", kInk, rgb(0xe6e9ec)},
      {"card", kCard, rgb(0x1d2329)},
      {"panel", kPanel, rgb(0x20262d)},
      {"border", kBorder, rgb(0x3a434d)},
      {"blue", kBlue, rgb(0x6eaee0)},
      {"orange", kOrange, rgb(0xe38a3f)},
      {"green", kGreen, rgb(0x4cae7d)},
      {"purple", kPurple, rgb(0xc98abc)},
      {"ochre", kOchre, rgb(0xcbab50)},
      {"indigo", kIndigo, rgb(0x9a9fe8)},
      {"grey", kGrey, rgb(0x98a1ab)},
      {"red", kRed, rgb(0xf2857b)},
      {"pink", kPink, rgb(0x3b2426)},
      {"hidden", kHidden, rgb(0x272e36)},
      {"seen", kSeen, rgb(0x5f9fd2)},
      {"own", kOwn, rgb(0xe68f47)},
      {"ahead", kAhead, rgb(0x345874)},
      {"elsewhere", kElsewhere, rgb(0x6b4a66)},
  };
  return kTones;
}

}  // namespace palette
}  // namespace heed
