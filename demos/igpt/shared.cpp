// What several commands of igpt share: which model, which pictures, how pixels are drawn.
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/shell_quoted.h"
#include "tasks/image/image_sampler.h"
#include "train/run_load.h"

using namespace heed;

RunPage page_of(const std::string& run, const ImageSettings& s) {
  RunPage page{.about =
                   (s.axial() ? "an axial picture model by heed, learning " : "a picture model by heed, learning ") +
                   s.data};
  page.commands = {"build/igpt train --run " + shell_quoted(run) + " --resume      # longer: --steps N"};
  if (!s.masked()) {
    page.commands.push_back("build/igpt sample --run " + shell_quoted(run) + " --count 100 --out samples.png");
    page.commands.push_back("build/igpt complete --run " + shell_quoted(run) + " --out completions.png");
  }
  if (!s.conditional && !s.axial()) page.commands.push_back("build/igpt probe --run " + shell_quoted(run));
  page.commands.push_back("build/igpt palette --run " + shell_quoted(run));
  page.links = {{"Gallery", "gallery.png", "pictures it drew, and halves it completed"},
                {"Completions", "completions.png", "lower halves of pictures, beside the originals"},
                {"Linear probe", "probe.png", "what each layer knows of the labels"},
                {"Palette", "palette.png", "its colours, and some pictures with them"}};
  page.score = image_score();
  return page;
}

void ModelChoice::add_options(CommandLine& line) {
  line.option("--run", run, "the run folder, or the file of a checkpoint");
  line.flag("--best", best, "the checkpoint with the best validation, in place of the newest");
}

LoadedIgpt ModelChoice::load() const {
  return load_igpt(run, best, [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); });
}

std::string ModelChoice::file(const std::string& name) const {
  std::error_code none;
  return std::filesystem::is_directory(run, none) ? RunFolder(run).file(name) : name;
}

void ModelChoice::show(const ImageSettings& settings) const {
  const RunFolder folder(run);
  if (folder.exists()) write_page(folder, page_of(folder.path(), settings));
}

ImageData pictures_of(const LoadedIgpt& loaded, const std::string& data) {
  const std::string from = data.empty() ? loaded.settings.data : data;
  HEED_CHECK(!from.empty(), "igpt", loaded.path,
             " is not in the folder of its run, whose config.json says what it has learned; give pictures with --data");
  if (data.empty()) check_data(from, loaded.path);
  ImageOptions options = image_options(loaded.settings);
  options.colour = loaded.palette.channels() == 1 ? "grey" : "colour";
  ImageData all = ImageData::open(from, options);
  if (data.empty() && !loaded.fingerprint.empty() && loaded.fingerprint != all.fingerprint)
    std::fprintf(stderr,
                 "%s has changed: the model has learned %s, and it is %s now; pictures that it learned may be among "
                 "those it is tested with\n",
                 from.c_str(), loaded.fingerprint.c_str(), all.fingerprint.c_str());
  return all;
}

const Images& part_of(const ImageData& data, const std::string& split) {
  return split == "train" ? data.train : split == "valid" ? data.valid : data.test;
}

void check_fits(const LoadedIgpt& loaded, long count, const MosaicOptions& mosaic, const std::string& options) {
  const long side = side_of(*loaded.model);
  const MosaicSize size = mosaic_size(count, side, side, mosaic);
  HEED_CHECK(size.possible(), "igpt", "the ", count, " pictures would be ", size.width, " x ", size.height,
             " pixels together; each side can have ", Picture::kMaxSide, ". Choose a smaller ", options);
}

std::string usual_colours_help() {
  return "; if nothing is said, " + std::to_string(usual_colours(3)) + " unless all pictures are grey";
}

void SampleChoice::add_options(CommandLine& line) {
  line.option("--temperature", options.temperature, "below 1 more careful, 0 always the likeliest", 0.0, 100.0);
  line.option("--top-k", options.top_k, "draw from the k likeliest; 0: from all", 0L);
  line.option("--top-p", options.top_p, "draw from the likeliest that have this much probability together", 1e-9, 1.0);
  line.seed(seed, "another seed, other pictures");
}

SampleOptions SampleChoice::chosen() const {
  SampleOptions all = options;
  all.seed = uint32_t(seed);
  return all;
}

namespace {

// A row has an original, what is kept and the completions; or two such side by side.
MosaicOptions completions_mosaic(long count, const Completions& o) {
  std::vector<std::string> heads = {"original", "kept"};
  for (long i = 1; i <= o.each; i++) heads.push_back(std::to_string(i));
  const bool wide = count > 1 && o.each <= 4;
  const std::vector<std::string> once = heads;
  if (wide) heads.insert(heads.end(), once.begin(), once.end());
  return {.columns = (wide ? 2 : 1) * (o.each + 2), .heads = heads};
}

}  // namespace

Picture completed(const LoadedIgpt& loaded, const Images& images, const Completions& o, const SampleOptions& sample) {
  const long count = std::min(o.count, images.count());
  const MosaicOptions layout = completions_mosaic(count, o);
  check_fits(loaded, count * (o.each + 2), layout, "--count or --each");
  const TokenPictures tokens(images, loaded.palette);
  DrawOptions draw{.count = count * o.each, .sample = sample};
  draw.kept = std::lround(o.keep * double(tokens.pixels()));
  for (long i = 0; i < draw.count; i++) {
    draw.begun.push_back(tokens.ids({i / o.each}).to_vector<int64_t>());
    if (loaded.settings.conditional) draw.labels.push_back(images.labels[size_t(i / o.each)]);
  }
  const std::vector<Picture> drawn = drawn_pictures(*loaded.model, loaded.palette, draw);
  std::vector<Picture> rows;
  for (long i = 0; i < count; i++) {
    const Ids& ids = draw.begun[size_t(i * o.each)];
    rows.push_back(picture_of(ids, side_of(*loaded.model), loaded.palette));
    rows.push_back(picture_of_begun(*loaded.model, ids, draw.kept, loaded.palette));
    rows.insert(rows.end(), drawn.begin() + i * o.each, drawn.begin() + (i + 1) * o.each);
  }
  return mosaic(rows, layout);
}
