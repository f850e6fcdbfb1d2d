// Drawing with a picture model: the sampler of models/ with a palette. Pictures are made in batches; each depends on
// the seed and its number only.
//
//   mosaic(drawn_pictures(model, palette, {.count = 20})).write_png("samples.png");
#pragma once

#include <functional>
#include <vector>

#include "data/images/pixel_palette.h"
#include "models/objectives/objective.h"
#include "models/picture_model.h"
#include "models/sampler.h"
#include "show/mosaic.h"

namespace heed {

struct DrawOptions {
  long count = 1;
  SampleOptions sample = {};                               // how long they are is the model's business
  std::vector<long> labels = {};                           // one for each, if the model is told classes
  std::vector<Ids> begun = {};                             // one for each, row by row: pictures to go on with
  long kept = 0;                                           // pixels of those that stay: the first in the model's order
  std::function<void(long done, long all)> progress = {};  // pictures
};

std::vector<Ids> drawn_ids(PictureModel& model, const DrawOptions& options);  // row by row
std::vector<Picture> drawn_pictures(PictureModel& model, const PixelPalette& palette, const DrawOptions& options);

Picture picture_of(const Ids& ids, long columns, const PixelPalette& palette);
// The same where a part is not there yet: pixels at the places from `kept` on are left empty.
Picture picture_of_begun(const PictureModel& model, const Ids& ids, long kept, const PixelPalette& palette);

// What a masked model makes of a batch: what it sees, what it fills in (the likeliest colours) and the original.
Picture filled_mosaic(PictureModel& model, const PixelPalette& palette, const Batch& batch);

// Sides of the model's pictures, which are squares.
long side_of(const PictureModel& model);

}  // namespace heed
