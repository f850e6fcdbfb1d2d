#include "show/mosaic.h"

#include <algorithm>

#include "system/ceil_div.h"
#include "system/error.h"

namespace heed {
namespace {

constexpr long kUsualWidth = 72, kHeadHeight = 26;  // at least so wide
constexpr double kHeadSize = 11;

struct Layout {
  Layout(long count, long width, long height, const MosaicOptions& o)
      : scale(o.scale > 0 ? o.scale : ceil_div(kUsualWidth, width)),
        columns(std::min(o.columns, count)),
        rows(ceil_div(count, columns)),
        across(width * scale + o.gap),
        down(height * scale + o.gap),
        top(o.heads.empty() ? 0 : kHeadHeight) {}
  long scale, columns, rows;
  long across, down;  // from one picture to the next
  long top;           // of the first row
};

void paste(Picture& to, const Picture& from, long left, long top, long scale) {
  for (long y = 0; y < from.height(); y++)
    for (long x = 0; x < from.width(); x++)
      to.rectangle({double(left + x * scale), double(top + y * scale), double(scale), double(scale)}, from.at(x, y));
}

}  // namespace

MosaicSize mosaic_size(long count, long width, long height, const MosaicOptions& o) {
  HEED_CHECK(count > 0 && o.columns > 0, "mosaic", "there are ", count, " pictures for ", o.columns,
             " columns; at least one is needed of both");
  const Layout layout(count, width, height, o);
  return {layout.columns * layout.across + o.gap, layout.top + layout.rows * layout.down + o.gap};
}

Picture mosaic(const std::vector<Picture>& pictures, const MosaicOptions& o) {
  const long count = long(pictures.size()), width = count ? pictures[0].width() : 1,
             height = count ? pictures[0].height() : 1;
  const MosaicSize size = mosaic_size(count, width, height, o);
  for (const Picture& picture : pictures)
    HEED_CHECK(picture.width() == width && picture.height() == height, "mosaic", "a picture is ", picture.width(),
               " x ", picture.height(), " and the first one ", width, " x ", height, "; they must be equal");
  const Layout at(count, width, height, o);
  Picture all(size.width, size.height);
  for (size_t i = 0; i < o.heads.size() && long(i) < at.columns; i++)
    all.text({double(o.gap + long(i) * at.across) + double(width * at.scale) / 2, double(at.top) - 6}, o.heads[i],
             {.size = kHeadSize, .align = Align::centre});
  for (long i = 0; i < count; i++)
    paste(all, pictures[size_t(i)], o.gap + i % at.columns * at.across, at.top + o.gap + i / at.columns * at.down,
          at.scale);
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
