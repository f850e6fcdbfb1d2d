// The palette: the colours of every picture and page, each with its twin for dark screens.
//
//   canvas.circle({50, 50}, 20, palette::kOrange);
//   canvas.line({0, 90}, {99, 90}, {.alpha = palette::kGrid});  // a grid line is faint ink
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace heed {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

constexpr Colour rgb(uint32_t hex) { return {uint8_t(hex >> 16), uint8_t(hex >> 8), uint8_t(hex)}; }  // 0xrrggbb
std::string hex(Colour colour);            // "#rrggbb", as HTML and SVG write it
Colour mix(Colour a, Colour b, double t);  // t = 0: a, t = 1: b

namespace palette {

inline constexpr Colour kBackground = rgb(0xfdfcf9);  // of pictures and pages; also text on one of the strong colours
inline constexpr Colour kInk = rgb(0x27313c);         // text, axes, outlines
inline constexpr Colour kCard = rgb(0xffffff);        // boxes that stand out from the background
inline constexpr Colour kPanel = rgb(0xf2efe8);       // behind code and samples
inline constexpr Colour kBorder = rgb(0xe4dfd3);

inline constexpr Colour kBlue = rgb(0x1c5688), kOrange = rgb(0xc4600f), kGreen = rgb(0x2e7d55);
inline constexpr Colour kPurple = rgb(0x8a3d7c), kOchre = rgb(0x8c6d1f), kIndigo = rgb(0x4b4f9c);
inline constexpr Colour kGrey = rgb(0x70757d), kRed = rgb(0xb3261e), kPink = rgb(0xfdecea);  // kPink: behind kRed
inline constexpr Colour kSeries[] = {kBlue, kOrange, kGreen, kPurple, kOchre, kIndigo};      // the curves of a chart

inline constexpr Colour kHidden = rgb(0xebe8e1);     // of attention: pairs that are not visible, ...
inline constexpr Colour kSeen = rgb(0x3f7fb5);       // those that are, ...
inline constexpr Colour kOwn = rgb(0xd9761c);        // and a token's own place
inline constexpr Colour kAhead = rgb(0xa9cae2);      // those that are only if one may look ahead, ...
inline constexpr Colour kElsewhere = rgb(0xd9b8d2);  // and those that another head or layer sees

// The opacity of ink where it should be fainter.
inline constexpr double kGrid = 0.14, kAxis = 0.5, kSoft = 0.8;  // kSoft: labels, subtitles

// Colour maps.
Colour sequential(double t);  // 0: pale blue, 1: nearly black; for weights
Colour diverging(double t);   // -1: blue, 0: nearly white, 1: orange; for signed things

// The colours that change where the viewer prefers a dark screen. SVG and HTML follow that wish; pixels are light.
struct Tone {
  const char* name;  // of its CSS variable: "ink" is var(--ink)
  Colour light, dark;
};
std::span<const Tone> tones();

}  // namespace palette
}  // namespace heed
