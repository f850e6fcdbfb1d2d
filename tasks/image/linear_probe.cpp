#include "tasks/image/linear_probe.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops/cross_entropy.h"
#include "nn/arena.h"
#include "nn/linear.h"
#include "system/error.h"
#include "tasks/image/pixel_batches.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "train/optimiser.h"

namespace heed {
namespace {

struct Regression : Module {
  Regression(long C, long classes)
      : linear(child<Linear>("linear", C, classes, Linear::Options{.weight = init::zeros()})) {}
  Linear& linear;
};

// The layers of some pictures, and last their pixels.
using Layers = std::vector<LabelledVectors>;

Tensor pixel_vectors(const Images& images, const std::vector<long>& pictures, const PixelPalette& palette) {
  std::vector<float> all;
  for (const long i : pictures)
    for (const uint8_t byte : palette.pixels(palette.ids(images.picture(i)))) all.push_back(float(byte) / 127.5F - 1);
  return from_vector(all, {long(pictures.size()), images.bytes()});
}

Layers layers_of(PictureModel& model, const PixelPalette& palette, const Images& images, long count,
                 const std::function<void(long)>& progress, long batch) {
  const TokenPictures tokens(images, palette);
  std::vector<std::vector<Tensor>> parts;  // of each layer
  std::vector<long> pictures;
  for (long begin = 0; begin < count; begin += batch) {
    std::vector<long> some;
    for (long i = begin; i < std::min(begin + batch, count); i++) some.push_back(i), pictures.push_back(i);
    Context ctx;
    std::vector<Tensor> layers = model.features(tokens.ids(some), ctx);
    layers.push_back(pixel_vectors(images, some, palette));
    parts.resize(layers.size());
    for (size_t i = 0; i < layers.size(); i++) parts[i].push_back(to(layers[i], cpu));  // where the regression is
    if (progress) progress(long(pictures.size()));
  }
  Layers all;
  for (const std::vector<Tensor>& part : parts) all.push_back({concatenate(part, 0), tokens.labels(pictures)});
  return all;
}

}  // namespace

double regression_accuracy(const LabelledVectors& train, const LabelledVectors& test, long classes,
                           const RegressionOptions& o) {
  const Tensor centre = mean(train.vectors, {0}, true), apart = train.vectors - centre;
  const Tensor scale = 1.0 / (sqrt(mean(apart * apart, {0}, true)) + 1e-6);
  const Tensor x = apart * scale, y = (test.vectors - centre) * scale;
  Regression model(x.size(1), classes);
  ParameterArena arena(model);
  const auto optimiser = make_optimiser("adam", arena, {.weight_decay = o.decay});
  Context ctx;
  for (long step = 0; step < o.steps; step++) {
    arena.zero_gradients();
    cross_entropy(model.linear.forward(x, ctx), train.labels).backward();
    optimiser->step(o.rate * (1 + std::cos(std::numbers::pi * double(step) / double(o.steps))) / 2);
  }
  const NoGrad no_grad;
  const std::vector<int64_t> guesses = argmax(model.linear.forward(y, ctx).value(), {1}).to_vector<int64_t>();
  const std::vector<int64_t> labels = test.labels.to_vector<int64_t>();
  long right = 0;
  for (size_t i = 0; i < labels.size(); i++) right += guesses[i] == labels[i];
  return double(right) / double(std::max<size_t>(labels.size(), 1));
}

long Probe::best() const { return std::max_element(layers.begin(), layers.end()) - layers.begin(); }

Probe linear_probe(PictureModel& model, const PixelPalette& palette, const ImageData& data, const ProbeOptions& o) {
  HEED_CHECK(data.labels.size() >= 2, "probe", "these pictures have ", data.labels.size(),
             " labels; a probe tells at least two apart. Put the pictures into a folder for each label");
  Probe probe;
  probe.train = std::min(o.train, data.train.count()), probe.test = std::min(o.test, data.test.count());
  const long all = probe.train + probe.test;
  const auto shown = [&](long before) {
    return [&o, before, all](long done) {
      if (o.progress) o.progress(before + done, all);
    };
  };
  const Layers train = layers_of(model, palette, data.train, probe.train, shown(0), o.batch);
  const Layers test = layers_of(model, palette, data.test, probe.test, shown(probe.train), o.batch);
  const long classes = long(data.labels.size());
  for (size_t i = 0; i < train.size(); i++) probe.layers.push_back(regression_accuracy(train[i], test[i], classes));
  probe.pixels = probe.layers.back();
  probe.layers.pop_back();
  return probe;
}

}  // namespace heed
