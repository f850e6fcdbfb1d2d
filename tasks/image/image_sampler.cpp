#include "tasks/image/image_sampler.h"

#include <algorithm>
#include <cmath>

#include "system/error.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/cross_entropy.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

constexpr long kAtOnce = 128;  // pictures that are drawn together: more of them take more memory, and little less time
constexpr Colour kEmpty = palette::kHidden;

Ids ordered(const PictureModel& model, const Ids& ids) {
  return model.order().ordered(from_vector(ids, {1, long(ids.size())})).to_vector<int64_t>();
}

Ids unordered(const PictureModel& model, const Ids& ids) {
  return model.order().unordered(from_vector(ids, {1, long(ids.size())})).to_vector<int64_t>();
}

Colour show_colour(const PixelPalette& palette, int64_t id) {
  const PixelPalette::Colour& c = palette.colour(long(id));
  return {c[0], c[1], c[2]};
}

void check(const PictureModel& model, const DrawOptions& o) {
  const auto fits = [&](size_t given) { return given == 0 || long(given) == o.count; };
  HEED_CHECK(o.count >= 1 && fits(o.labels.size()) && fits(o.begun.size()), "draw", o.count, " pictures, ",
             o.labels.size(), " labels and ", o.begun.size(), " beginnings were given; there must be one for each");
  HEED_CHECK(o.kept >= 0 && o.kept <= model.order().size() && (o.kept == 0 || !o.begun.empty()), "draw", o.kept,
             " pixels are to stay; the pictures have ", model.order().size());
  for (const long label : o.labels)
    HEED_CHECK(label >= 0 && label < model.classes(), "draw", "there is no class ", label, "; the model knows ",
               model.classes());
}

// Pictures first .. first + rows
std::vector<Ids> some(PictureModel& model, const DrawOptions& o, long first, long rows) {
  std::vector<Ids> all(static_cast<size_t>(rows));
  for (size_t i = 0; i < all.size() && !o.begun.empty(); i++) {
    const Ids ids = ordered(model, o.begun[size_t(first) + i]);
    all[i].assign(ids.begin(), ids.begin() + o.kept);
  }
  SampleOptions sample = o.sample;
  sample.length = model.context() - o.kept, sample.first_row = o.sample.first_row + first;
  const std::vector<int64_t> labels(o.labels.empty() ? o.labels.begin() : o.labels.begin() + first,
                                    o.labels.empty() ? o.labels.begin() : o.labels.begin() + first + rows);
  LabelledPictures told(model, labels.empty() ? Tensor() : from_vector(labels, {rows}));
  const std::vector<Ids> drawn = sampled(told, all, sample);
  for (size_t i = 0; i < all.size(); i++) {
    all[i].insert(all[i].end(), drawn[i].begin(), drawn[i].end());
    all[i] = unordered(model, all[i]);
  }
  return all;
}

}  // namespace

long side_of(const PictureModel& model) { return std::lround(std::sqrt(double(model.order().size()))); }

std::vector<Ids> drawn_ids(PictureModel& model, const DrawOptions& o) {
  check(model, o);
  std::vector<Ids> all;
  for (long first = 0; first < o.count; first += kAtOnce) {
    for (Ids& ids : some(model, o, first, std::min(kAtOnce, o.count - first))) all.push_back(std::move(ids));
    if (o.progress) o.progress(long(all.size()), o.count);
  }
  return all;
}

std::vector<Picture> drawn_pictures(PictureModel& model, const PixelPalette& palette, const DrawOptions& options) {
  std::vector<Picture> pictures;
  for (const Ids& ids : drawn_ids(model, options)) pictures.push_back(picture_of(ids, side_of(model), palette));
  return pictures;
}

Picture picture_of(const Ids& ids, long columns, const PixelPalette& palette) {
  Picture picture(columns, long(ids.size()) / columns);
  for (long i = 0; i < long(ids.size()); i++)
    picture.pixel(i % columns, i / columns, show_colour(palette, ids[size_t(i)]));
  return picture;
}

Picture picture_of_begun(const PictureModel& model, const Ids& ids, long kept, const PixelPalette& palette) {
  const long side = side_of(model);
  Picture picture = picture_of(ids, side, palette);
  for (size_t place = size_t(kept); place < ids.size(); place++) {
    const long pixel = model.order().pixels()[place];
    picture.pixel(pixel % side, pixel / side, kEmpty);
  }
  return picture;
}

Picture filled_mosaic(PictureModel& model, const PixelPalette& palette, const Batch& batch) {
  const NoGrad no_grad;
  Context ctx;
  const Tensor hidden = not_equal(batch.targets, double(kNoTarget));
  const Tensor guesses = model.order().unordered(argmax(model.filled(batch.inputs, hidden, {}, ctx).value(), {2}));
  const long B = batch.inputs.size(0), n = batch.inputs.size(1), side = side_of(model);
  const Ids given = batch.inputs.to_vector<int64_t>(), targets = batch.targets.to_vector<int64_t>();
  const Ids guessed = guesses.to_vector<int64_t>();
  std::vector<Picture> pictures;
  for (long b = 0; b < B; b++) {
    const Ids original(given.begin() + b * n, given.begin() + (b + 1) * n);
    Picture seen = picture_of(original, side, palette), filled = seen;
    for (long i = 0; i < n; i++) {
      if (targets[size_t(b * n + i)] == kNoTarget) continue;
      seen.pixel(i % side, i / side, palette::kOwn);
      filled.pixel(i % side, i / side, show_colour(palette, guessed[size_t(b * n + i)]));
    }
    pictures.insert(pictures.end(), {seen, filled, picture_of(original, side, palette)});
  }
  return mosaic(pictures, {.columns = 9,
                           .heads = {"seen", "filled in", "original", "seen", "filled in", "original", "seen",
                                     "filled in", "original"}});
}

}  // namespace heed
