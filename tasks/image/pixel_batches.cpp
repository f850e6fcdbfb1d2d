#include "tasks/image/pixel_batches.h"

#include "system/error.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/cross_entropy.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/where.h"
#include "tensor/views.h"

namespace heed {

TokenPictures::TokenPictures(const Images& images, const PixelPalette& palette)
    : pixels_(images.size * images.size), ids_(palette.ids(images.pixels)), labels_(images.labels) {}

Tensor TokenPictures::ids(const std::vector<long>& pictures) const {
  std::vector<int64_t> all;
  all.reserve(pictures.size() * size_t(pixels_));
  for (const long picture : pictures) {
    const auto first = ids_.begin() + picture * pixels_;
    all.insert(all.end(), first, first + pixels_);
  }
  return from_vector(all, {long(pictures.size()), pixels_});
}

Tensor TokenPictures::labels(const std::vector<long>& pictures) const {
  std::vector<int64_t> all;
  for (const long picture : pictures) all.push_back(label(picture));
  return from_vector(all, {long(pictures.size())});
}

Batch batch_of(const TokenPictures& from, const std::vector<long>& pictures, const BatchKind& kind) {
  Batch batch{.inputs = from.ids(pictures)};
  if (kind.conditional) batch.labels = from.labels(pictures);
  batch.counted = batch.inputs.numel();
  if (kind.hidden > 0) {
    const Shape shape = batch.inputs.shape();
    const Tensor seen = reshape(keep_mask({shape[0], shape[1], 1}, kind.key, kind.hidden), shape);
    batch.targets = where(seen, full(shape, double(kNoTarget), i64), batch.inputs);
    batch.counted = long(sum(cast(logical_not(seen), f64)).item());
  }
  return batch;
}

}  // namespace heed
