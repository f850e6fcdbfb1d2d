// Pictures as tokens, and batches of them.
#pragma once

#include <cstdint>
#include <vector>

#include "data/images/pixel_palette.h"
#include "models/objectives/objective.h"
#include "tensor/random.h"

namespace heed {

// All pictures of a part, a token for each pixel, row by row.
class TokenPictures {
 public:
  TokenPictures(const Images& images, const PixelPalette& palette);

  long count() const { return pixels_ ? long(ids_.size()) / pixels_ : 0; }
  long pixels() const { return pixels_; }  // of a picture
  bool labelled() const { return !labels_.empty(); }
  long label(long picture) const { return labels_[size_t(picture)]; }

  Tensor ids(const std::vector<long>& pictures) const;     // i64 (B, n)
  Tensor labels(const std::vector<long>& pictures) const;  // i64 (B,)

 private:
  long pixels_;
  std::vector<uint16_t> ids_;
  std::vector<long> labels_;
};

struct BatchKind {
  bool conditional = false;  // with labels
  double hidden = 0;         // the share of pixels that are hidden, and the only targets; 0: all are targets
  RandomKey key = {};        // of what is hidden; its sample: of the first picture
};
Batch batch_of(const TokenPictures& from, const std::vector<long>& pictures, const BatchKind& kind);

}  // namespace heed
