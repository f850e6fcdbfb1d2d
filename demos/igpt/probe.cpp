// igpt probe: what every layer knows of the labels, which the model was never told.
#include <cstdio>

#include "demos/igpt/igpt.h"
#include "show/chart.h"
#include "system/json.h"
#include "system/progress.h"
#include "system/write_file.h"
#include "tasks/image/linear_probe.h"

using namespace heed;

namespace {

Chart chart_of(const Probe& probe, const LoadedIgpt& loaded) {
  Chart chart{.title = "Accuracy of a linear probe", .subtitle = loaded.path, .x_label = "layer", .whole = true};
  Series layers{"features of this layer", {}}, pixels{"pixels", {}};
  for (size_t i = 0; i < probe.layers.size(); i++) {
    layers.points.push_back({double(i), probe.layers[i]});
    pixels.points.push_back({double(i), probe.pixels});
  }
  chart.series = {layers, pixels};
  return chart;
}

Json json_of(const Probe& probe, const LoadedIgpt& loaded) {
  Json layers = Json::array();
  for (const double accuracy : probe.layers) layers.push_back(accuracy);
  return Json::Object{{"checkpoint", loaded.path}, {"step", loaded.step},  {"layers", layers},
                      {"pixels", probe.pixels},    {"best", probe.best()}, {"train", probe.train},
                      {"test", probe.test}};
}

void print(const Probe& probe, const std::string& out) {
  std::printf("logistic regression on %ld pictures, accuracy on %ld others:\n", probe.train, probe.test);
  std::printf("  %-10s %.4f\n", "pixels", probe.pixels);
  for (size_t i = 0; i < probe.layers.size(); i++)
    std::printf("  layer %-4zu %.4f%s\n", i, probe.layers[i], long(i) == probe.best() ? "   the best" : "");
  std::printf("the plot is %s\n", out.c_str());
}

}  // namespace

int probe_command(int argc, char** argv) {
  ModelChoice model;
  ProbeOptions options;
  std::string data, out;
  bool json = false;
  CommandLine line("igpt probe",
                   "Learns labels from the features of every layer, and from the pixels, by logistic regression.");
  model.add_options(line);
  line.option("--data", data, "other pictures than the run's");
  line.option("--train", options.train, "pictures to learn from, at most", 2L, 1000000000L);
  line.option("--test", options.test, "pictures to test with, at most", 1L, 1000000000L);
  line.option("--out", out, "the plot, NAME.png and NAME.svg; if nothing is said, probe in the run folder");
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  const LoadedIgpt loaded = model.load();
  if (out.ends_with(".png") || out.ends_with(".svg")) out.resize(out.size() - 4);
  if (out.empty()) out = model.file("probe");
  check_writable(out + ".png");
  const ImageData all = pictures_of(loaded, data);
  Progress progress("picture", std::min(options.train, all.train.count()) + std::min(options.test, all.test.count()));
  options.progress = [&](long done, long) { progress.show(done, ""); };
  const Probe probe = linear_probe(*loaded.model, loaded.palette, all, options);
  progress.finish("");
  const Chart chart = chart_of(probe, loaded);
  draw_chart(chart).write_png(out + ".png");
  write_file(out + ".svg", chart_svg(chart));
  model.show(loaded.settings);
  if (json)
    std::printf("%s\n", json_of(probe, loaded).dump().c_str());
  else
    print(probe, out + ".png");
  return 0;
}
