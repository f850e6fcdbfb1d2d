// The linear probe: how much a model that was never told any label knows of them. The model stays as it is; for each of
// its layers a logistic regression learns the labels from one vector per picture (PictureModel::features). In the paper
// the middle layers are best. Beside it, the same regression on the pixels themselves.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/images/image_data.h"
#include "data/images/pixel_palette.h"
#include "models/picture_model.h"

namespace heed {

struct LabelledVectors {
  Tensor vectors{};  // f32 (N, C)
  Tensor labels{};   // i64 (N,)
};

struct RegressionOptions {
  long steps = 400;     // of Adam, each with all vectors
  double rate = 0.05;   // at first; it falls to 0 along a cosine
  double decay = 1e-4;  // L2
};
// The share of `test` that is given its own label by a softmax regression that learned `train`. Vectors are brought to
// mean 0 and deviation 1, by those of train.
double regression_accuracy(const LabelledVectors& train, const LabelledVectors& test, long classes,
                           const RegressionOptions& options = {});

struct ProbeOptions {
  long train = 5000, test = 2000;                          // pictures, at most
  long batch = 50;                                         // that the model reads at a time
  std::function<void(long done, long all)> progress = {};  // pictures
};

struct Probe {
  std::vector<double> layers;  // accuracies: of the first norm of each block, and of the last norm
  double pixels = 0;           // of the pixels themselves, in the palette's colours
  long train = 0, test = 0;    // pictures

  long best() const;  // the layer, from 0
};

Probe linear_probe(PictureModel& model, const PixelPalette& palette, const ImageData& data,
                   const ProbeOptions& options = {});

}  // namespace heed
