// `make demo` and `make demo-igpt`: learns Fashion-MNIST (or generated shapes where it is not installed), says what was
// to be expected, and draws a gallery: pictures from nothing, and lower halves of pictures that it has not seen.
#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/shell_quoted.h"
#include "system/text.h"
#include "tasks/image/image_sampler.h"
#include "tensor/machine.h"
#include "train/run.h"
#include "train/run_folder.h"
#include "train/typed_settings.h"

using namespace heed;

namespace {

// What is to be expected on the validation data of Fashion-MNIST, in nats per pixel, measured with `build/igpt demo`.
struct Length {
  const char* preset;
  long steps;
  double expected;
};
constexpr Length kQuick = {"tiny", 40, 1.39}, kUsual = {"tiny", 700, 0.92}, kLong = {"small", 3500, 0.82};

constexpr double kTemperature = 0.95;

ImageSettings demo_settings(const Length& length, long seed) {
  ImageSettings s = image_preset(length.preset);
  s.data = usual_images();
  s.seed = seed;
  s.steps = length.steps;
  s.checkpoint_every = length.steps / 5;
  s.valid_pictures = 500;
  s.conditional = true;
  return s;
}

// Makes room for a new demo: an old one is moved aside with all that is in its folder, anything else is refused, also a
// demo that somebody trained on. Nothing is ever deleted.
void make_room(const RunFolder& folder) {
  if (!folder.exists()) return;
  const RunLock lock(folder);
  const ImageSettings old = image_settings_from_json(folder.config(), folder.file("config.json"));
  bool demo = false;
  for (const Length& length : {kQuick, kUsual, kLong})
    demo |= old.data == usual_images() && old.preset == length.preset && old.steps == length.steps;
  HEED_CHECK(demo, "demo", folder.path(), " holds another run, which has learned ", old.data, " for ", old.steps,
             " steps; choose another folder with --run");
  print_line("the demo of before is now " + folder.move_aside());
}

Picture gallery(const LoadedIgpt& loaded, const ImageData& data) {
  const long kinds = long(loaded.labels.size());
  DrawOptions draw{.count = 4 * kinds, .sample = {.temperature = kTemperature}};
  for (long i = 0; i < draw.count; i++) draw.labels.push_back(i % kinds);
  const Picture drawn =
      mosaic(drawn_pictures(*loaded.model, loaded.palette, draw), {.columns = kinds, .heads = loaded.labels});
  const Picture halves = completed(loaded, data.test, {.count = 6}, {.temperature = kTemperature});
  return stacked({{"drawn from nothing, a column for each kind", drawn},
                  {"lower halves, drawn below what is kept of a picture it has not seen", halves}});
}

}  // namespace

int demo_command(int argc, char** argv) {
  RunOptions options{.run = "runs/demo-igpt", .say = print_sentence, .option_name = option_name};
  bool quick = false, longer = false;
  long seed = 1;
  CommandLine line("igpt demo", "Learns Fashion-MNIST for about a minute, and draws.");
  line.option("--run", options.run, "the folder for all that it writes; an older demo there is moved aside");
  line.seed(seed, "another seed, other weights");
  line.flag("--quick", quick, "a few seconds, to see that it works");
  line.flag("--long", longer,
            "a larger model for longer, which drew the picture in README; it says first how long it will take");
  if (!line.parse(argc, argv)) return line.exit_code();
  print_sentence(machine_description());
  const RunFolder folder(options.run);
  make_room(folder);
  const Length length = quick ? kQuick : longer ? kLong : kUsual;
  ImageSettings settings = demo_settings(length, seed);
  options.page = page_of(options.run, settings);
  const ImageData data = ImageData::open(settings.data, image_options(settings));
  settings.colours = usual_colours(data.train.channels);
  print_sentence("learning " + settings.data + ": " + data.summary());
  ImageTask task(settings, data, palette_for(settings, data, print_line));
  const RunResult result = train_run(task, options);
  if (result.stopped) {
    print_sentence("the page is " + folder.file("index.html"));
    print_line("go on with: build/igpt train --resume --run " + shell_quoted(options.run));
    return kInterrupted;
  }
  gallery(load_igpt(options.run), data).write_png(folder.file("gallery.png"));
  write_page(folder, options.page);
  print_line(format("validation: %.3f nats per pixel", result.valid_score) +
             (settings.data == "fashion-mnist" ? format("; expected: about %.2f", length.expected) : ""));
  print_line("what it draws: " + folder.file("gallery.png"));
  print_sentence("the page is " + folder.file("index.html") + "; open it in a browser");
  print_sentence("next: build/igpt train --data YOUR-PICTURES --size 32 --run runs/mine, and build/igpt --help");
  return 0;
}
