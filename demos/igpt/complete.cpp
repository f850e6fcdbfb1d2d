// igpt complete: the model sees the first half of pictures that it has not learned and draws the rest, several times.
#include <cstdio>

#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/write_file.h"

using namespace heed;

int complete_command(int argc, char** argv) {
  ModelChoice model;
  SampleChoice sample;
  Completions options;
  std::string data, split = "test", out;
  CommandLine line("igpt complete", "Lets a model go on with pictures of which it sees a part, beside the originals.");
  model.add_options(line);
  line.option("--data", data, "other pictures than the run's");
  line.option("--split", split, "which part of them", {"train", "valid", "test"});
  line.option("--count", options.count, "pictures", 1L, 1000L);
  line.option("--each", options.each, "completions of each", 1L, 100L);
  line.option("--keep", options.keep, "the part of the pixels that it sees, the first in its order", 0.0, 0.999);
  sample.add_options(line);
  line.option("--out", out, "the PNG file; if nothing is said, completions.png in the run folder");
  if (!line.parse(argc, argv)) return line.exit_code();
  const LoadedIgpt loaded = model.load();
  if (out.empty()) out = model.file("completions.png");
  const ImageData all = pictures_of(loaded, data);
  HEED_CHECK(!loaded.settings.conditional || all.labels == loaded.labels, "complete",
             "this model is told labels, and these pictures have others; give some with the same");
  check_writable(out);
  completed(loaded, part_of(all, split), options, sample.chosen()).write_png(out);
  model.show(loaded.settings);
  std::printf("%ld completions of %ld pictures of %s each, from step %ld, written to %s\n", options.each,
              std::min(options.count, part_of(all, split).count()), split.c_str(), loaded.step, out.c_str());
  return 0;
}
