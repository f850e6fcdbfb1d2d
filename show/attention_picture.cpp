#include "show/attention_picture.h"

#include <algorithm>
#include <cmath>

#include "system/ceil_div.h"
#include "system/error.h"
#include "system/quantities.h"
#include "tensor/copy.h"

namespace heed {
namespace {

using palette::kHidden, palette::kOwn, palette::kSeen, palette::kSoft, palette::sequential;

constexpr double kMargin = 36, kTop = 134, kAxis = 34, kGap = 30;  // pixels; kAxis: left of a map, for its numbers
constexpr double kUnder = 52;                                      // below a map: what it counts
constexpr double kLegend = 66;                                     // the legend and the footnote
constexpr long kMostColumns = 4;

struct Map {
  long T, S;
  std::vector<double> weights;  // T rows of S

  double at(long i, long j) const { return weights[size_t(i * S + j)]; }
  double largest(long i) const { return T * S == 0 ? 0 : *std::max_element(row(i), row(i) + S); }
  std::vector<double>::const_iterator row(long i) const { return weights.begin() + i * S; }
  long seen(long i) const { return S - std::count(row(i), row(i) + S, 0.0); }
  bool looks_like(const Map& other) const {
    return std::equal(weights.begin(), weights.end(), other.weights.begin(),
                      [](double a, double b) { return (a != 0) == (b != 0); });
  }
};

std::vector<Map> maps_of(const Tensor& weights, bool strength) {
  const long H = weights.size(0), T = weights.size(1), S = weights.size(2);
  const auto all = cast(weights, f64).to_vector<double>();
  std::vector<Map> maps;
  for (long h = 0; h < H; h++) maps.push_back({T, S, {all.begin() + h * T * S, all.begin() + (h + 1) * T * S}});
  const bool alike = std::all_of(maps.begin(), maps.end(), [&](const Map& map) { return map.looks_like(maps[0]); });
  if (alike && !strength) maps.resize(1);
  return maps;
}

// Where the maps are: columns x rows of them, each of T x S squares of `cell` pixels.
struct Layout {
  long columns, rows, cell;
  double width, height;  // of one map

  explicit Layout(long count, const Map& map) {
    columns = std::min(count, kMostColumns);
    rows = ceil_div(count, columns);
    cell = std::max(1L, (count == 1 ? 512 : count == 2 ? 448 : 320) / std::max({map.T, map.S, 1L}));
    width = double(cell * map.S), height = double(cell * map.T);
  }
  double step() const { return std::max(width, 250.0) + kAxis + kGap; }
  Point corner(long k) const {
    return {kMargin + kAxis + double(k % columns) * step(), kTop + double(k / columns) * (height + kUnder + 54)};
  }
  double legend() const { return corner(columns * (rows - 1)).y + height + kUnder; }
};

long tick_step(long count) {  // a power of two: at most five ticks
  long step = 1;
  while (step * 4 < count) step *= 2;
  return step;
}

void draw_axes(Picture& picture, const Layout& layout, Point corner, const Map& map) {
  const double cell = double(layout.cell);
  const TextStyle style{.size = 7.5, .align = Align::centre, .alpha = 0.7};
  for (long j = 0; j < map.S; j += tick_step(map.S))
    picture.text({corner.x + cell * (double(j) + 0.5), corner.y - 7}, std::to_string(j), style);
  for (long i = 0; i < map.T; i += tick_step(map.T))
    picture.text({corner.x - 6, corner.y + cell * (double(i) + 0.5) + 3.5}, std::to_string(i),
                 {.size = 7.5, .align = Align::right, .alpha = 0.7});
  picture.text({corner.x + layout.width / 2, corner.y - 21}, "key", {.size = 9, .align = Align::centre});
  picture.text({corner.x - 27, corner.y + layout.height / 2}, "query",
               {.size = 9, .align = Align::centre, .upwards = true});
}

void draw_map(Picture& picture, const Layout& layout, Point corner, const Map& map, bool strength) {
  const double cell = double(layout.cell), side = cell > 4 ? cell - 1 : cell;  // a thin grid if there is room for one
  for (long i = 0; i < map.T; i++) {
    const double largest = map.largest(i);
    for (long j = 0; j < map.S; j++) {
      const double weight = map.at(i, j);
      const bool own = j == i + map.S - map.T;
      const Colour colour = weight == 0 ? kHidden : strength ? sequential(weight / largest) : own ? kOwn : kSeen;
      picture.rectangle({corner.x + cell * double(j), corner.y + cell * double(i), side, side}, colour);
    }
  }
}

std::vector<std::string> counts(const Map& map) {
  long sum = 0, least = map.S, most = 0;
  for (long i = 0; i < map.T; i++) {
    sum += map.seen(i);
    least = std::min(least, map.seen(i)), most = std::max(most, map.seen(i));
  }
  const double share = 100 * double(sum) / double(std::max(1L, map.T * map.S));
  return {
      with_commas(sum) + " of " + with_commas(map.T * map.S) + " pairs, " + std::to_string(std::lround(share)) + "%",
      "a query sees " + (least == most ? "" : with_commas(least) + " to ") + with_commas(most) + " keys"};
}

// What the colours mean.
void draw_legend(Picture& picture, double y, bool strength) {
  const TextStyle style{.size = 8.5};
  double x = kMargin + kAxis;
  const auto say = [&](const std::string& text) {
    picture.text({x, y + 4}, text, style);
    x += std::round(Picture::text_width(text, style.size)) + 24;
  };
  const auto square = [&](Colour colour, const std::string& text) {
    picture.rectangle({x, y - 5, 10, 10}, colour);
    x += 17;
    say(text);
  };
  if (strength) {
    for (int i = 0; i < 80; i++) picture.rectangle({x + i, y - 5, 1, 10}, sequential(i / 79.0));
    x += 88;
    say("weight: none to the row's largest");
  } else {
    square(kSeen, "sees");
    square(kOwn, "its own place");
  }
  square(kHidden, "does not see");
}

}  // namespace

Picture draw_attention(const Tensor& weights, const AttentionLook& look) {
  HEED_CHECK(weights.dims() == 3 && weights.numel() > 0, "draw_attention", "the weights are ", weights.shape(),
             "; they must be (H, T, S), and not empty");
  const std::vector<Map> maps = maps_of(weights, look.strength);
  const Layout layout(long(maps.size()), maps[0]);
  const double titles = std::max(Picture::text_width(look.title, 16), Picture::text_width(look.subtitle, 9));
  const double wide = std::max({double(layout.columns) * layout.step() - kGap, titles, 400.0}) + 2 * kMargin;
  Picture picture(std::lround(wide), std::lround(layout.legend() + kLegend));
  picture.text({kMargin, 46}, look.title, {.size = 16, .weight = 0.17});
  picture.text({kMargin, 70}, look.subtitle, {.size = 9, .alpha = kSoft});
  for (long k = 0; k < long(maps.size()); k++) {
    const Point corner = layout.corner(k);
    const Map& map = maps[size_t(k)];
    draw_axes(picture, layout, corner, map);
    draw_map(picture, layout, corner, map, look.strength);
    if (maps.size() > 1)
      picture.text({corner.x, corner.y - 21}, "head " + std::to_string(k + 1), {.size = 9, .weight = 0.2});
    double y = corner.y + layout.height + 18;
    for (const std::string& line : counts(map)) {
      picture.text({corner.x, y}, line, {.size = 8, .alpha = kSoft});
      y += 15;
    }
  }
  draw_legend(picture, layout.legend() + 12, look.strength);
  picture.text({kMargin + kAxis, layout.legend() + 44}, look.footnote, {.size = 7.5, .alpha = 0.55});
  return picture;
}

}  // namespace heed
