// PixelOrder: in which order a model reads the pixels of a picture. Pixel number p is the one in row p / columns and
// column p % columns; at place t of the sequence stands pixel order.pixels()[t].
//
//   raster        row by row, as one reads
//   blocks:8x16   blocks of 8 rows and 16 columns, one after the other, each row by row: what is near in two dimensions
//                 is near in the sequence, too (2-D local attention: Parmar et al., 2018). At the edges they are cut
#pragma once

#include <string>
#include <vector>

#include "nn/mixing/mixer.h"
#include "tensor/tensor.h"

namespace heed {

class PixelOrder {
 public:
  PixelOrder(const std::string& spec, long rows, long columns);  // throws a sentence for what is no order

  long size() const { return long(pixels_.size()); }
  const std::vector<int64_t>& pixels() const { return pixels_; }  // of the places
  bool is_raster() const { return raster_; }                      // also of blocks that are whole rows
  const Grid& grid() const { return grid_; }                      // what attentions are told

  Tensor ordered(const Tensor& ids) const;    // (B, n) by pixel -> by place
  Tensor unordered(const Tensor& ids) const;  // and back

 private:
  std::vector<int64_t> pixels_, places_;  // and of the pixels: their places
  bool raster_;
  Grid grid_;
};

}  // namespace heed
