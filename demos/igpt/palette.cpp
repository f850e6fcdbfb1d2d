// igpt palette: the colours that pixels have for a model, and what they make of some pictures.
#include <cmath>
#include <cstdio>

#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tasks/image/image_sampler.h"

using namespace heed;

namespace {

struct Asked {
  ModelChoice model;
  ImageSettings settings;  // of --data
  std::string out;

  void add_options(CommandLine& line) {
    model.add_options(line);
    line.option("--data", settings.data, "pictures; a palette is made for them, in place of the run's");
    line.option("--size", settings.size, "of --data: pixels along each side", kMinSize, kMaxSize);
    line.option("--colours", settings.colours, "of --data: how many, at most" + usual_colours_help(), 2L, kMaxColours);
    line.option("--colour", settings.colour, "of --data: what pixels are", colour_names());
    line.option("--out", out, "the PNG file; if nothing is said, palette.png in the run folder");
  }
};

Picture swatches(const PixelPalette& palette) {
  constexpr long kColumns = 32, kSide = 26;
  const long rows = (palette.size() + kColumns - 1) / kColumns;
  Picture picture(kColumns * kSide + 8, rows * kSide + 8);
  for (long i = 0; i < palette.size(); i++) {
    const auto& c = palette.colour(i);
    picture.rectangle({double(4 + i % kColumns * kSide), double(4 + i / kColumns * kSide), kSide - 2, kSide - 2},
                      Colour{c[0], c[1], c[2]});
  }
  return picture;
}

Picture original(const Images& images, long i) {
  const std::span<const uint8_t> bytes = images.picture(i);
  Picture picture(images.size, images.size);
  for (long p = 0; p < images.size * images.size; p++) {
    const uint8_t* c = &bytes[size_t(p * images.channels)];
    picture.pixel(p % images.size, p / images.size,
                  images.channels == 1 ? Colour{c[0], c[0], c[0]} : Colour{c[0], c[1], c[2]});
  }
  return picture;
}

// A row of originals, and below it what the palette makes of them.
Picture compared(const Images& images, const PixelPalette& palette) {
  const long count = std::min(images.count(), 10L);
  const TokenPictures tokens(images, palette);
  std::vector<Picture> rows;
  for (long i = 0; i < count; i++) rows.push_back(original(images, i));
  for (long i = 0; i < count; i++)
    rows.push_back(picture_of(tokens.ids({i}).to_vector<int64_t>(), images.size, palette));
  return mosaic(rows, {.columns = count});
}

// The root of the mean squared distance of a channel, of 255
double error_of(const Images& images, const PixelPalette& palette) {
  const std::vector<uint8_t> nearest = palette.pixels(palette.ids(images.pixels));
  double sum = 0;
  for (size_t i = 0; i < nearest.size(); i++) sum += std::pow(double(nearest[i]) - images.pixels[i], 2);
  return std::sqrt(sum / double(std::max<size_t>(nearest.size(), 1)));
}

}  // namespace

int palette_command(int argc, char** argv) {
  Asked asked;
  CommandLine line("igpt palette",
                   "Draws the palette of a run, or one that is made for pictures, and what it makes of some.");
  asked.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  const bool own = line.given("--data");
  for (const char* option : {"--size", "--colours", "--colour"})
    HEED_CHECK(own || !line.given(option), "palette", option,
               " is for a palette that is made for --data; a run has its own");
  if (asked.out.empty()) asked.out = own ? "palette.png" : asked.model.file("palette.png");
  check_writable(asked.out);
  ImageData data;
  ImageSettings settings;
  std::optional<PixelPalette> palette;
  if (own) {
    data = ImageData::open(asked.settings.data, image_options(asked.settings));
    if (!line.given("--colours")) asked.settings.colours = usual_colours(data.train.channels);
    palette = palette_for(asked.settings, data, [](const std::string& text) { std::printf("%s\n", text.c_str()); });
  } else {
    const LoadedIgpt loaded = asked.model.load();
    data = pictures_of(loaded, "");
    palette = loaded.palette;
    settings = loaded.settings;
  }
  stacked(
      {{format("%ld %s", palette->size(), palette->channels() == 1 ? "levels of grey" : "colours"), swatches(*palette)},
       {"pictures, and with these colours", compared(data.valid, *palette)}})
      .write_png(asked.out);
  if (!own) asked.model.show(settings);
  std::printf("%ld %s; a channel is %.1f of 255 away on average (root of the mean square); drawn to %s\n",
              palette->size(), palette->channels() == 1 ? "levels of grey" : "colours", error_of(data.valid, *palette),
              asked.out.c_str());
  return 0;
}
