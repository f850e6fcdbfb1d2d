// `build/bench zoo-pictures --seconds 60`: a picture model of 28 x 28 pixels in 16 colours with every attention that
// can draw, and the Axial Transformer, each trained for the same time; nats per pixel of 1,000 pictures that were not
// learned. `--data` is that of `igpt train`; by default Fashion-MNIST where it is installed.
#include "bench/zoo.h"
#include "tasks/image/image_task.h"

namespace heed::bench {
namespace {

constexpr long kSize = 28;

ImageSettings sizes() {
  ImageSettings s = image_preset("small");
  s.size = kSize, s.colours = 16, s.layers = 4, s.width = 128, s.heads = 4, s.batch = 8, s.rate = 2e-3;
  s.valid_pictures = 1000;
  return s;
}

struct Painter {
  std::string attention, order = "raster", model = "igpt";
  std::string name() const {
    if (model != "igpt") return "model " + model;
    return attention + (order == "raster" ? "" : ", order " + order);
  }
};

// "axial:axis=rows,grid=64" -> "axial:axis=rows": the grid is that of the pictures
std::string without_grid(const std::string& spec) {
  const size_t at = spec.find("grid=");
  if (at == std::string::npos) return spec;
  const size_t end = spec.find(',', at);
  return end == std::string::npos ? spec.substr(0, at - 1) : spec.substr(0, at) + spec.substr(end + 1);
}

std::vector<Painter> painters() {
  std::vector<Painter> list = {{"axial"}};  // rows and columns by turns
  for (const std::string& shown : writing_specs())
    if (const std::string spec = without_grid(shown); can_write(spec, {kSize, kSize})) list.push_back({spec});
  list.push_back({.attention = "image-local:query=7x14,flange=7x14", .order = "blocks:7x14"});
  list.push_back({.attention = "full", .model = "axial"});
  return list;
}

ImageSettings settings_for(const Painter& painter) {
  ImageSettings s = sizes();
  s.attention = painter.attention, s.order = painter.order, s.model = painter.model;
  return s;
}

std::vector<Case> cases() {
  std::vector<std::string> names;
  for (const Painter& painter : painters()) names.push_back(painter.name());
  return zoo_cases("nats per pixel after the same time, 28 x 28, 4/128/4, B 8", names);
}

int run_zoo_of_pictures(const Benchmark& benchmark, const Settings& settings) {
  const ImageSettings s = sizes();
  const ImageData data = ImageData::open(settings.data.empty() ? usual_images() : settings.data, image_options(s));
  const PixelPalette palette = palette_for(s, data);
  Zoo zoo{.unit = "nats per pixel", .about = "4 layers of width 128 on " + data.summary(), .usual = "full"};
  for (const Painter& painter : painters())
    zoo.animals.push_back({painter.name(), [&data, &palette, painter] {
                             auto task = std::make_unique<ImageTask>(settings_for(painter), data, palette);
                             return std::make_unique<TaskLearner>(std::move(task), 1);
                           }});
  return run_zoo(benchmark, settings, zoo);
}

const RegisteredBenchmark zoo{{"zoo-pictures",
                               "Nats per pixel after the same time of training, with every attention that can draw.",
                               cases, run_zoo_of_pictures}};

}  // namespace
}  // namespace heed::bench
