#include "show/attention_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "show/picture.h"
#include "system/error.h"
#include "tensor/copy.h"

namespace heed {
namespace {

using palette::kAhead, palette::kElsewhere, palette::kHidden, palette::kOwn, palette::kSeen;

// A square of the map is one of a few kinds: runs of equal ones in a row are one rectangle.
enum Kind : uint8_t { hidden, seen, ahead, elsewhere, own, kinds };
constexpr Colour kColours[kinds] = {kHidden, kSeen, kAhead, kElsewhere, kOwn};
constexpr const char* kWords[kinds] = {"does not see", "sees", "sees if it may look ahead",
                                       "another head or layer sees", "its own place"};

constexpr int kLevels = 12;  // of strength

struct Squares {
  long T, S;
  std::vector<uint8_t> numbers;  // T rows of S

  std::vector<Box> runs(const Box& box, uint8_t number) const {
    const double width = box.width / double(S), height = box.height / double(T);
    std::vector<Box> list;
    for (long i = 0; i < T; i++)
      for (long j = 0; j < S; j++) {
        const long begin = j;
        while (j < S && numbers[size_t(i * S + j)] == number) j++;
        if (j > begin)
          list.push_back(
              {box.x + width * double(begin), box.y + height * double(i), width * double(j - begin), height});
      }
    return list;
  }
};

struct Weights {
  long H = 0, T = 0, S = 0;
  std::vector<double> numbers = {};

  explicit Weights(const Tensor& x) {
    if (!x.defined()) return;
    HEED_CHECK(x.dims() == 3 && x.numel() > 0, "draw_attention_map", "the weights are ", x.shape(),
               "; they must be (H, T, S), and not empty");
    H = x.size(0), T = x.size(1), S = x.size(2), numbers = cast(x, f64).to_vector<double>();
  }
  double at(long h, long i, long j) const { return numbers[size_t((h * T + i) * S + j)]; }
  bool first_sees(long i, long j) const { return H > 0 && at(0, i, j) != 0; }
  bool some_sees(long i, long j) const {
    for (long h = 0; h < H; h++)
      if (at(h, i, j) != 0) return true;
    return false;
  }
};

Kind kind_of(const Weights& both, const Weights& causal, long i, long j) {
  const Weights& any = both.H > 0 ? both : causal;
  const bool first = both.first_sees(i, j) || causal.first_sees(i, j);
  if (!first) return both.some_sees(i, j) || causal.some_sees(i, j) ? elsewhere : hidden;
  if (j == i + any.S - any.T) return own;
  return causal.first_sees(i, j) ? seen : ahead;
}

void draw_kinds(Canvas& canvas, const Box& box, const Weights& both, const Weights& causal) {
  const Weights& any = both.H > 0 ? both : causal;
  Squares squares{any.T, any.S, {}};
  for (long i = 0; i < any.T; i++)
    for (long j = 0; j < any.S; j++) squares.numbers.push_back(kind_of(both, causal, i, j));
  for (const Kind kind : {seen, ahead, elsewhere, own}) canvas.rectangles(squares.runs(box, kind), kColours[kind]);
}

// Stronger weights are less transparent, so that the map is right on light and on dark screens.
void draw_levels(Canvas& canvas, const Box& box, const Weights& weights) {
  Squares squares{weights.T, weights.S, {}};
  for (long i = 0; i < weights.T; i++) {
    double largest = 0;
    for (long j = 0; j < weights.S; j++) largest = std::max(largest, weights.at(0, i, j));
    for (long j = 0; j < weights.S; j++)
      squares.numbers.push_back(uint8_t(largest > 0 ? std::lround(kLevels * weights.at(0, i, j) / largest) : 0));
  }
  for (int level = 1; level <= kLevels; level++)
    canvas.rectangles(squares.runs(box, uint8_t(level)), Fill(kSeen, double(level) / kLevels));
}

}  // namespace

void draw_attention_map(Canvas& canvas, const Box& box, const AttentionMap& map) {
  const Weights both(map.both), causal(map.causal);
  HEED_CHECK(both.H > 0 || causal.H > 0, "draw_attention_map", "there are no weights; give some, or causal ones");
  canvas.rectangle(box, kHidden);
  if (map.strength)
    draw_levels(canvas, box, causal.H > 0 ? causal : both);
  else
    draw_kinds(canvas, box, both, causal);
}

std::vector<AttentionColour> attention_colours() {
  std::vector<AttentionColour> list;
  for (const Kind kind : {own, seen, ahead, elsewhere, hidden}) list.push_back({kColours[kind], kWords[kind]});
  return list;
}

void draw_attention_legend(Canvas& canvas, Point at, double size) {
  for (const auto& [colour, meaning] : attention_colours()) {
    canvas.rectangle({at.x, at.y - size, size, size}, colour);
    canvas.text({at.x + 1.6 * size, at.y - 0.1 * size}, meaning, {.size = 0.8 * size, .alpha = palette::kSoft});
    at.x += std::round(Picture::text_width(meaning, 0.8 * size)) + 4 * size;
  }
}

}  // namespace heed
