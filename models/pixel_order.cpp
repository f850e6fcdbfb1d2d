#include "models/pixel_order.h"

#include <algorithm>
#include <optional>

#include "system/error.h"
#include "system/text.h"
#include "tensor/create.h"
#include "tensor/ops/gather.h"

namespace heed {
namespace {

struct PixelBlock {
  long rows, columns;
};

PixelBlock block_of(const std::string& spec, long rows, long columns) {
  if (spec == "raster") return {1, columns};
  const std::string head = "blocks:";
  const std::vector<std::string> parts =
      spec.starts_with(head) ? split(spec.substr(head.size()), 'x') : std::vector<std::string>();
  const auto side = [&](size_t i) { return parts.size() == 2 ? number_in<long>(parts[i]) : std::optional<long>(); };
  HEED_CHECK(side(0) && side(1) && *side(0) >= 1 && *side(1) >= 1, "pixel_order", "'", spec,
             "' is no order of pixels; there are raster and blocks of rows and columns, such as blocks:4x8");
  return {std::min(*side(0), rows), std::min(*side(1), columns)};
}

Tensor picked(const Tensor& ids, const std::vector<int64_t>& by, bool raster) {
  HEED_CHECK(ids.dims() == 2 && ids.size(1) == long(by.size()), "pixel_order", "the ids are ", ids.shape(),
             "; they must be (B, ", by.size(), "), one for each pixel");
  return raster ? ids : index_select(ids, 1, from_vector(by, {long(by.size())}));
}

}  // namespace

PixelOrder::PixelOrder(const std::string& spec, long rows, long columns) : places_(size_t(rows * columns)) {
  const PixelBlock block = block_of(spec, rows, columns);
  for (long top = 0; top < rows; top += block.rows)
    for (long left = 0; left < columns; left += block.columns)
      for (long row = top; row < std::min(top + block.rows, rows); row++)
        for (long column = left; column < std::min(left + block.columns, columns); column++)
          pixels_.push_back(row * columns + column);
  for (size_t place = 0; place < pixels_.size(); place++) places_[size_t(pixels_[place])] = int64_t(place);
  raster_ = std::is_sorted(pixels_.begin(), pixels_.end());
  grid_ = {rows, columns};
  if (!raster_) grid_.block_rows = block.rows, grid_.block_columns = block.columns;
}

Tensor PixelOrder::ordered(const Tensor& ids) const { return picked(ids, pixels_, raster_); }

Tensor PixelOrder::unordered(const Tensor& ids) const { return picked(ids, places_, raster_); }

}  // namespace heed
