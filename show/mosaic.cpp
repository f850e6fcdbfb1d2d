#include "show/mosaic.h"

#include <algorithm>

#include "system/ceil_div.h"
#include "system/error.h"

namespace heed {
namespace {

constexpr long kUsualWidth = 72, kHeadHeight = 26;  // at least so wide
constexpr double kHeadSize = 11;

void paste(Picture& to, const Picture& from, long left, long top, long scale) {
  for (long y = 0; y < from.height(); y++)
    for (long x = 0; x < from.width(); x++)
      to.rectangle({double(left + x * scale), double(top + y * scale), double(scale), double(scale)}, from.at(x, y));
}

}  // namespace

Picture mosaic(const std::vector<Picture>& pictures, const MosaicOptions& o) {
  HEED_CHECK(!pictures.empty() && o.columns > 0, "mosaic", "there are ", pictures.size(), " pictures for ", o.columns,
             " columns; at least one is needed of both");
  const long width = pictures[0].width(), height = pictures[0].height();
  for (const Picture& picture : pictures)
    HEED_CHECK(picture.width() == width && picture.height() == height, "mosaic", "a picture is ", picture.width(),
               " x ", picture.height(), " and the first one ", width, " x ", height, "; they must be equal");
  const long scale = o.scale > 0 ? o.scale : ceil_div(kUsualWidth, width);
  const long columns = std::min(o.columns, long(pictures.size())), rows = ceil_div(long(pictures.size()), columns);
  const long across = width * scale + o.gap, down = height * scale + o.gap, top = o.heads.empty() ? 0 : kHeadHeight;
  Picture all(columns * across + o.gap, top + rows * down + o.gap);
  for (size_t i = 0; i < o.heads.size() && long(i) < columns; i++)
    all.text({double(o.gap + long(i) * across) + double(width * scale) / 2, double(top) - 6}, o.heads[i],
             {.size = kHeadSize, .align = Align::centre});
  for (size_t i = 0; i < pictures.size(); i++)
    paste(all, pictures[i], o.gap + long(i) % columns * across, top + o.gap + long(i) / columns * down, scale);
  return all;
}

Picture stacked(const std::vector<Titled>& pictures) {
  HEED_CHECK(!pictures.empty(), "stacked", "there are no pictures; give at least one");
  constexpr double kTitle = 13;
  constexpr long kTitleHeight = 36;
  long width = 0, height = 0;
  for (const Titled& each : pictures) {
    width = std::max(width, each.picture.width());
    height += each.picture.height() + kTitleHeight;
  }
  Picture all(width, height);
  long top = 0;
  for (const Titled& each : pictures) {
    all.text({4, double(top + kTitleHeight) - 12}, each.title, {.size = kTitle});
    paste(all, each.picture, 0, top += kTitleHeight, 1);
    top += each.picture.height();
  }
  return all;
}

}  // namespace heed
