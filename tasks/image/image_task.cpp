#include "tasks/image/image_task.h"

#include <algorithm>

#include "models/objectives/masked_pixels.h"
#include "models/objectives/next_pixel.h"
#include "nn/finish.h"
#include "system/error.h"
#include "system/text.h"
#include "tasks/image/image_sampler.h"
#include "train/run_folder.h"

namespace heed {
namespace {

const ImageSettings& checked(const ImageSettings& s, const ImageData& data, const PixelPalette& palette) {
  check_settings(s);
  HEED_CHECK(data.train.size == s.size, "image_task", "the pictures are ", data.train.size, " pixels wide, and ",
             s.size, " were asked for");
  HEED_CHECK(data.train.channels == palette.channels(), "image_task", "the pictures have ", data.train.channels,
             data.train.channels == 1 ? " channel" : " channels", " and the palette ", palette.channels(),
             "; one is grey and the other not");
  HEED_CHECK(!s.conditional || !data.labels.empty(), "image_task",
             "the model is to be told the label of each picture, and these pictures have none; put them into a folder "
             "for each label, or leave it away");
  return s;
}

Images first_of(const Images& images, long count) {
  Images some = images;
  count = std::min(count, images.count());
  some.pixels.resize(size_t(count * images.bytes()));
  if (!some.labels.empty()) some.labels.resize(size_t(count));
  return some;
}

std::unique_ptr<PictureModel> model_of(const ImageSettings& s, long colours, long labels) {
  if (s.axial()) return std::make_unique<AxialTransformer>(axial_options(s, colours, labels));
  return std::make_unique<Igpt>(model_options(s, colours, labels));
}

std::unique_ptr<Objective> objective_of(const ImageSettings& s, PictureModel& model) {
  if (s.masked()) return std::make_unique<MaskedPixels>(model);
  return std::make_unique<NextPixel>(model);
}

// Number `sample` of a step as one of n.
long drawn(const RandomKey& key, uint32_t sample, long n) {
  const Philox4 draw = philox({key.site, sample, 0, 0}, key.key());
  const uint64_t wide = uint64_t(draw[0]) << 32 | draw[1];
  return long((unsigned __int128)(wide)*uint64_t(n) >> 64);
}

}  // namespace

const Score& image_score() {
  static const Score score{.name = "nats", .unit = "nats per pixel"};
  return score;
}

long usual_colours(long channels) { return channels == 1 ? 16 : 128; }

PixelPalette palette_for(const ImageSettings& s, const ImageData& data,
                         const std::function<void(const std::string&)>& say) {
  PixelPalette palette = PixelPalette::fit(data.train, s.colours, uint32_t(s.seed));
  if (say && palette.size() < s.colours)
    say(format("%ld %s found, and %ld were asked for", palette.size(),
               palette.size() == 1 ? "colour was" : "colours were", s.colours));
  return palette;
}

ImageTask::ImageTask(const ImageSettings& settings, const ImageData& data, const PixelPalette& palette)
    : settings_(checked(settings, data, palette)),
      fingerprint_(data.fingerprint),
      labels_(data.labels),
      palette_(palette),
      train_(data.train, palette),
      valid_(first_of(data.valid, settings.valid_pictures), palette),
      model_(model_of(settings, palette.size(), long(data.labels.size()))),
      objective_(objective_of(settings, *model_)) {}

const Score& ImageTask::score() const { return image_score(); }

BatchKind ImageTask::kind(const RandomKey& key) const {
  return {.conditional = settings_.conditional, .hidden = settings_.masked() ? settings_.hidden : 0, .key = key};
}

Batch ImageTask::draw(const BatchPart& part) {
  const RandomKey key{.seed = part.seed, .step = part.step, .site = site_hash("image"), .sample = uint32_t(part.first)};
  std::vector<long> pictures;
  for (long i = 0; i < part.rows; i++) pictures.push_back(drawn(key, uint32_t(part.first + i), train_.count()));
  RandomKey hidden = key;
  hidden.site = site_hash("image", 1);
  return batch_of(train_, pictures, kind(hidden));
}

double ImageTask::validate(const Phase& phase) {
  const NoGrad no_grad;
  double nats = 0;
  long counted = 0;
  const LossIn in{.hidden = phase.window ? window_mask(phase.window, 0) : Mask()};
  for (long begin = 0; begin < valid_.count(); begin += settings_.batch) {
    std::vector<long> pictures;
    for (long i = begin; i < std::min(begin + settings_.batch, valid_.count()); i++) pictures.push_back(i);
    const RandomKey key{.site = site_hash("valid"), .sample = uint32_t(begin)};  // hidden pixels are always the same
    const Batch batch = batch_of(valid_, pictures, kind(key));
    Context ctx;
    ctx.window_scale = phase.windows;
    nats += objective_->summed_loss(batch, in, ctx).item();
    counted += batch.counted;
  }
  finish_device_of(objective_->model());
  HEED_CHECK(counted > 0, "image_task", "of ", valid_.count(), " pictures for validation no pixel is hidden");
  return nats / double(counted);
}

Json ImageTask::known_settings(const Json& given, const std::string& from) const {
  return to_json(image_settings_from_json(given, from));
}

std::map<std::string, std::string> ImageTask::strings() const {
  Json names = Json::array();
  for (const std::string& label : labels_) names.push_back(label);
  return {{kPaletteString, palette_.saved()}, {kImageLabelStrings, names.dump()}};
}

void ImageTask::write_samples(const RunFolder& folder, long step) {
  if (settings_.samples == 0) return;
  if (settings_.masked()) {
    std::vector<long> pictures;
    for (long i = 0; i < std::min(settings_.samples / 3, valid_.count()); i++) pictures.push_back(i);
    if (pictures.empty()) return;
    const Batch batch = batch_of(valid_, pictures, kind({.site = site_hash("valid")}));
    filled_mosaic(*model_, palette_, batch).write_png(folder.picture_path(step));
    return;
  }
  DrawOptions options{.count = settings_.samples};
  for (long i = 0; settings_.conditional && i < settings_.samples; i++)
    options.labels.push_back(i % long(labels_.size()));
  mosaic(drawn_pictures(*model_, palette_, options), {.columns = 10}).write_png(folder.picture_path(step));
}

}  // namespace heed
