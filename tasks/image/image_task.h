// ImageTask: a picture model learns pictures, pixel by pixel. It is judged by nats per pixel, -ln p of the right colour
// on average (of the hidden ones, if it is to fill in): ln K is a model that knows nothing. With every checkpoint it
// draws some pictures.
#pragma once

#include <memory>

#include "data/images/image_data.h"
#include "tasks/image/image_settings.h"
#include "tasks/image/pixel_batches.h"
#include "train/task.h"

namespace heed {

class ImageTask : public Task {
 public:
  // The palette of a run that goes on, or one that was made for the data (palette_for).
  ImageTask(const ImageSettings& settings, const ImageData& data, const PixelPalette& palette);

  PictureModel& model() { return *model_; }
  const PixelPalette& palette() const { return palette_; }

  Objective& objective() override { return *objective_; }
  const TrainSettings& training() const override { return settings_; }
  const Score& score() const override;
  long context() const override { return settings_.pixels(); }
  std::string unit() const override { return "pixels"; }
  Batch draw(const BatchPart& part) override;
  double training_score(double loss, const std::map<std::string, double>&) const override { return loss; }
  double validate(const Phase& phase) override;
  Json settings() const override { return to_json(settings_); }
  Json known_settings(const Json& given, const std::string& from) const override;
  std::string fingerprint() const override { return fingerprint_; }
  std::map<std::string, std::string> strings() const override;      // the palette, and the names of the labels
  void write_samples(const RunFolder& folder, long step) override;  // samples/step-000120.png

 private:
  BatchKind kind(const RandomKey& key) const;

  ImageSettings settings_;
  std::string fingerprint_;
  std::vector<std::string> labels_;
  PixelPalette palette_;
  TokenPictures train_, valid_;  // of the validation what is looked at with every checkpoint
  std::unique_ptr<PictureModel> model_;
  std::unique_ptr<Objective> objective_;
};

const Score& image_score();
// Colours of a palette if nothing is said: 16 for grey pictures, 128 for others.
long usual_colours(long channels);
// Of the training pictures; `say` takes a sentence if they have fewer colours than were asked for.
PixelPalette palette_for(const ImageSettings& settings, const ImageData& data,
                         const std::function<void(const std::string&)>& say = {});

inline constexpr const char* kPaletteString = "palette";
inline constexpr const char* kImageLabelStrings = "labels";

}  // namespace heed
