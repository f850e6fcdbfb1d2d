#include "show/font.h"

#include <algorithm>
#include <string_view>

namespace heed {
namespace {

// The characters from ' ' to '~'. Strokes are separated by blanks; a point is two digits, x and y (0..9, a = 10,
// ...). A capital stands on y = 3 and ends at y = d, a small letter ends at a and may go down to 0. A stroke of one
// point is a dot. In front of a stroke, ~ rounds its corners, and o also closes it.
// clang-format off
constexpr const char* kGlyphs[] = {
    "",                          // blank
    "0d07 03",                   // !
    "0d0a 2d2a",                 // "
    "131d 535d 0666 0a6a",       // #
    "~6b6d0d0966630305 3e32",    // $
    "038d o0d3d3909 o57878353",  // %
    "~83191d5d59070363 ~6378",   // &
    "0d0a",                      // '
    "~2e0b0522",                 // (
    "~0e2b2502",                 // )
    "3c36 0b67 076b",            // *
    "0767 343a",                 // +
    "1311",                      // ,
    "0747",                      // -
    "03",                        // .
    "025e",                      // /
    "o0d6d6303",                 // 0
    "1b3d33",                    // 1
    "~0b0d6d6803 0363",          // 2
    "~0b0d6d6828 ~2868630305",   // 3
    "434d0666",                  // 4
    "6d1d08 ~081969630305",      // 5
    "o09696303 ~060d6d6b",       // 6
    "0d6d23",                    // 7
    "o0d6d6808 o08686303",       // 8
    "o0d6d6707 ~6a630305",       // 9
    "04 09",                     // :
    "1411 19",                   // ;
    "6b0764",                    // <
    "0565 0969",                 // =
    "0b6704",                    // >
    "~0b0d6d693936 33",          // ?
    "o2a5a5626 ~5a56868d0d0373", // @
    "034d83 1676",               // A
    "030d ~0d3d6d683808 ~084878734303",  // B
    "~7b7d0d037375",             // C
    "030d ~0d3d7d733303",        // D
    "6d0d0363 0858",             // E
    "6d0d03 0858",               // F
    "~7b7d0d037378 7848",        // G
    "030d 737d 0878",            // H
    "030d",                      // I
    "~5d58530306",               // J
    "030d 7d07 2973",            // K
    "0d0363",                    // L
    "030d458d83",                // M
    "030d737d",                  // N
    "o0d8d8303",                 // O
    "030d ~0d4d7d774707",        // P
    "o0d8d8303 5682",            // Q
    "030d ~0d4d7d784808 4873",   // R
    "~7b7d0d0977730305",         // S
    "0d8d 4d43",                 // T
    "~0d080373787d",             // U
    "0d438d",                    // V
    "0d336d93cd",                // W
    "037d 0d73",                 // X
    "0d488d 4843",               // Y
    "0d7d0373",                  // Z
    "2e0e0222",                  // [
    "0e52",                      // backslash
    "0e2e2202",                  // ]
    "0a3d6a",                    // ^
    "0262",                      // _
    "0d1b",                      // `
    "o0a6a6303 6a63",            // a
    "030d o0a6a6303",            // b
    "~595a0a035354",             // c
    "636d o0a6a6303",            // d
    "0767 ~676a0a036364",        // e
    "~4d1d1913 0a3a",            // f
    "o0a6a6303 ~6a62600001",     // g
    "030d ~070a5a5653",          // h
    "030a 0d",                   // i
    "~2a242000 2d",              // j
    "030d 5a06 2853",            // k
    "~0d050323",                 // l
    "030a ~070a4a4643 ~474a8a8683",      // m
    "030a ~070a5a5653",          // n
    "o0a6a6303",                 // o
    "000a o0a6a6303",            // p
    "606a o0a6a6303",            // q
    "030a ~070a4a",              // r
    "~595a0a0756530304",         // s
    "~1d151343 0a4a",            // t
    "~0a07035357 535a",          // u
    "0a336a",                    // v
    "0a234a638a",                // w
    "035a 0a53",                 // x
    "0a33 6a20",                 // y
    "0a5a0353",                  // z
    "~3e1e1808 ~08181232",       // {
    "020e",                      // |
    "~0e2e2838 ~38282202",       // }
    "~0609296667",               // ~
};
// clang-format on
constexpr const char* kUnknown = "0d6d63030d";  // a box

constexpr double kUnit = 0.1;       // the grid, in heights of a capital
constexpr double kGap = 3 * kUnit;  // between two characters
constexpr int kPieces = 8;          // straight lines for each rounded corner

double digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

Point middle(Point a, Point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

// A quadratic B-spline: parabolas between the middles of the edges, each with the corner as its control point.
Curve rounded(const Curve& corners, bool closed) {
  const size_t n = corners.size();
  Curve curve;
  const auto round = [&curve](Point from, Point corner, Point to) {
    for (int i = 0; i <= kPieces; i++) {
      const double t = double(i) / kPieces, s = 1 - t;
      curve.push_back(
          {s * s * from.x + 2 * s * t * corner.x + t * t * to.x, s * s * from.y + 2 * s * t * corner.y + t * t * to.y});
    }
  };
  if (closed)
    for (size_t i = 0; i < n; i++)
      round(middle(corners[i], corners[(i + 1) % n]), corners[(i + 1) % n],
            middle(corners[(i + 1) % n], corners[(i + 2) % n]));
  else
    for (size_t i = 1; i + 1 < n; i++)
      round(i == 1 ? corners[0] : middle(corners[i - 1], corners[i]), corners[i],
            i + 2 == n ? corners[n - 1] : middle(corners[i], corners[i + 1]));
  return curve;
}

Curve stroke(std::string_view code, double left) {
  const char kind = code[0];
  if (kind == '~' || kind == 'o') code.remove_prefix(1);
  Curve points;
  for (size_t i = 0; i + 1 < code.size(); i += 2)
    points.push_back({left + digit(code[i]) * kUnit, (digit(code[i + 1]) - 3) * kUnit});
  return kind == '~' || kind == 'o' ? rounded(points, kind == 'o') : points;
}

std::vector<Curve> strokes(std::string_view code, double left) {
  std::vector<Curve> all;
  while (!code.empty()) {
    const size_t end = std::min(code.find(' '), code.size());
    all.push_back(stroke(code.substr(0, end), left));
    code.remove_prefix(std::min(end + 1, code.size()));
  }
  return all;
}

double advance(char c, const std::vector<Curve>& curves, double left) {
  if (c == ' ') return 4 * kUnit;
  double right = left;
  for (const Curve& curve : curves)
    for (Point p : curve) right = std::max(right, p.x);
  return right - left + kGap;
}

// Calls f(strokes) for every character and returns the x behind the last one.
template <class F> double for_each_character(const std::string& text, F f) {
  double left = 0;
  for (char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // UTF-8: one box per character, not per byte
    const auto curves = strokes(c >= ' ' && c <= '~' ? kGlyphs[c - ' '] : kUnknown, left);
    left += advance(c, curves, left);
    f(curves);
  }
  return left;
}

}  // namespace

std::vector<Curve> text_curves(const std::string& text) {
  std::vector<Curve> all;
  for_each_character(text, [&](const auto& curves) { all.insert(all.end(), curves.begin(), curves.end()); });
  return all;
}

double text_advance(const std::string& text) {
  const double end = for_each_character(text, [](const auto&) {});
  return std::max(end - kGap, 0.0);
}

}  // namespace heed
