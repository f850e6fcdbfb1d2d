// igpt train: the options of a run, and what is said before it; the run itself is train/run.h.
#include <cmath>

#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"
#include "tensor/machine.h"
#include "train/train_options.h"

using namespace heed;

namespace {

std::string own_help(const Setting& setting) {
  if (setting.name == "preset") return setting.help + " (what is in brackets below is small's)";
  if (setting.name == "colours") return setting.help + usual_colours_help();
  if (setting.name == "attention") return setting.help + "; build/attention list tells more";
  return setting.help;
}

ImageSettings defaults() {
  ImageSettings s = image_preset("small");
  s.data = usual_images();
  return s;
}

// What was typed, on top of the preset or of what the run has.
ImageSettings settings_of(const TypedSettings& options, const ImageSettings& typed, const RunOptions& run) {
  const auto saved = run.resume ? settings_to_resume(RunFolder(run.run)) : std::nullopt;
  ImageSettings s = saved ? image_settings_from_json(saved->json, saved->from) : image_preset(typed.preset);
  HEED_CHECK(!saved || !options.given("preset") || s.preset == typed.preset, "train", run.run,
             " began with the preset ", s.preset, ", and --preset ", typed.preset,
             " was given; leave it away, or choose another folder");
  HEED_CHECK(!saved || !s.data.empty() || options.given("data"), "train", run.run,
             " has no config.json that can be read, which says what it learns; give the same pictures with --data");
  if (s.data.empty()) s.data = typed.data;
  options.copy_given(table_of(s));
  options.check_schedule(s);
  if (!saved && s.optimiser != "adamw" && !options.given("weight_decay")) s.weight_decay = 0;
  check_settings(s);
  return s;
}

PixelPalette palette_of(const ImageSettings& s, const ImageData& data, const RunOptions& run) {
  if (run.resume)
    if (const auto palette = palette_of_run(run.run)) return *palette;
  return palette_for(s, data, run.say);
}

}  // namespace

int train_command(int argc, char** argv) {
  TrainOptions train;
  train.run.run = kUsualRun;
  ImageSettings typed = defaults();
  CommandLine line("igpt train", "Trains a model of pictures and writes all of it into a run folder.");
  const TypedSettings options(line, table_of(typed), own_help);
  train.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (!train.json) print_sentence(machine_description());
  ImageSettings settings = settings_of(options, typed, train.run);
  train.check_apart(settings.data);
  train.learns(settings.data, {"fashion-mnist", "shapes"});
  const ImageData data = ImageData::open(settings.data, image_options(settings));
  train.begin();
  train.run.page = page_of(train.run.run, settings);
  train.run.say(settings.data + ": " + data.summary());
  for (const std::string& note : data.notes) train.run.say(note);
  const bool fresh = !train.run.resume || !saved_settings(RunFolder(train.run.run));
  if (fresh && !options.given("colours")) settings.colours = usual_colours(data.train.channels);
  const PixelPalette palette = palette_of(settings, data, train.run);
  train.run.say(format("a palette of %ld %s; knowing nothing: %.3f nats per pixel", palette.size(),
                       palette.channels() == 1 ? "levels of grey" : "colours", std::log(double(palette.size()))));
  if (train.minutes > 0) {
    ImageTask trial(settings, data, palette);
    settings.steps = train.steps_for(line, trial);
  }
  ImageTask task(settings, data, palette);
  return train.train(task, "build/igpt");
}
