// igpt sample: the model draws pictures, into one PNG file.
#include <chrono>
#include <cmath>
#include <cstdio>

#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/json.h"
#include "system/progress.h"
#include "system/write_file.h"
#include "tasks/image/image_sampler.h"

using namespace heed;

namespace {

struct Asked {
  ModelChoice model;
  SampleChoice sample;
  std::string out, label;
  long count = 40, columns = 0, scale = 0;
  bool json = false;

  void add_options(CommandLine& line) {
    model.add_options(line);
    line.option("--count", count, "pictures to draw", 1L, 10000L);
    line.option("--label", label, "of a model that is told labels: what to draw; if nothing is said, all in turn");
    sample.add_options(line);
    line.option("--out", out, "the PNG file; if nothing is said, samples.png in the run folder");
    line.option("--columns", columns, "pictures in a row; 0: 10, or more for many", 0L, 1000L);
    line.option("--scale", scale, "pixels along a side of each pixel; 0: so that one can see it", 0L, 100L);
    line.json(json);
  }
  long chosen_columns() const {
    return columns ? columns : std::max(10L, std::lround(std::ceil(std::sqrt(double(count)))));
  }
};

std::vector<long> labels_of(const Asked& asked, const LoadedIgpt& loaded) {
  HEED_CHECK(asked.label.empty() || loaded.settings.conditional, "sample",
             "this model was not told labels, and --label ", asked.label, " was given; train one with --conditional");
  std::vector<long> labels;
  for (long i = 0; i < asked.count && loaded.settings.conditional; i++)
    labels.push_back(asked.label.empty() ? i % long(loaded.labels.size()) : loaded.label_of(asked.label));
  return labels;
}

}  // namespace

int sample_command(int argc, char** argv) {
  Asked asked;
  CommandLine line("igpt sample", "Lets a trained model draw.");
  asked.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  const LoadedIgpt loaded = asked.model.load();
  if (asked.out.empty()) asked.out = asked.model.file("samples.png");
  DrawOptions draw{.count = asked.count, .sample = asked.sample.chosen(), .labels = labels_of(asked, loaded)};
  const MosaicOptions layout{.columns = asked.chosen_columns(), .scale = asked.scale};
  check_fits(loaded, asked.count, layout, "--count or --scale, or other --columns");
  check_writable(asked.out);
  Progress progress("picture", asked.count);
  draw.progress = [&](long done, long) { progress.show(done, ""); };
  const std::vector<Picture> pictures = drawn_pictures(*loaded.model, loaded.palette, draw);
  const double seconds = progress.seconds();
  progress.finish("");
  mosaic(pictures, layout).write_png(asked.out);
  if (asked.json)
    std::printf("%s\n", Json(Json::Object{{"checkpoint", loaded.path},
                                          {"step", loaded.step},
                                          {"pictures", asked.count},
                                          {"seconds", seconds},
                                          {"out", asked.out}})
                            .dump()
                            .c_str());
  else
    std::printf("%ld pictures from step %ld in %s, written to %s\n", asked.count, loaded.step,
                duration_text(seconds).c_str(), asked.out.c_str());
  return 0;
}
