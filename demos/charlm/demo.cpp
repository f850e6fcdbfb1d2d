// `make demo`: learns heed's own source in a minute or two, says what was to be expected, and lets the model write.
#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/shell_quoted.h"
#include "system/text.h"
#include "tasks/language/language_task.h"
#include "tasks/language/text_sampler.h"
#include "tensor/machine.h"
#include "train/run.h"
#include "train/run_folder.h"
#include "train/typed_settings.h"

using namespace heed;

namespace {

// What is to be expected on the validation data, measured with `build/charlm demo`; the text grows with the project, so
// that a tenth more or less is no surprise.
constexpr double kExpected = 1.67, kQuickExpected = 3.4;

constexpr long kSteps = 1500, kQuickSteps = 100;

LmSettings demo_settings(bool quick, long seed) {
  LmSettings s = preset("tiny");
  s.data = "self";
  s.seed = seed;
  s.steps = quick ? kQuickSteps : kSteps;
  return s;
}

// Makes room for a new demo: an old one is moved aside with all that is in its folder, anything else is refused, also a
// demo that somebody trained on. Nothing is ever deleted.
void make_room(const RunFolder& folder) {
  if (!folder.exists()) return;
  const RunLock lock(folder);
  const LmSettings old = settings_from_json(folder.config(), folder.file("config.json"));
  const bool demo = old.data == "self" && old.preset == "tiny" && (old.steps == kSteps || old.steps == kQuickSteps);
  HEED_CHECK(demo, "demo", folder.path(), " holds another run, which has learned ", old.data, " for ", old.steps,
             " steps; choose another folder with --run");
  print_line("the demo of before is now " + folder.move_aside());
}

}  // namespace

int demo_command(int argc, char** argv) {
  RunOptions options{.run = "runs/demo", .say = print_sentence, .option_name = option_name};
  bool quick = false;
  long seed = 1;
  CommandLine line("charlm demo", "Learns heed's own source and docs for about a minute, and writes a sample.");
  line.option("--run", options.run, "the folder for all that it writes; an older demo there is moved aside");
  line.seed(seed, "another seed, other weights");
  line.flag("--quick", quick, "a few seconds, to see that it works");
  if (!line.parse(argc, argv)) return line.exit_code();
  print_sentence(machine_description());
  const RunFolder folder(options.run);
  make_room(folder);
  const LmSettings settings = demo_settings(quick, seed);
  options.page = page_of(options.run, settings);
  const ByteData data = open_data(settings.data);
  print_sentence("learning heed's own source and docs: " + data.summary());
  LanguageTask task(settings, data);
  const RunResult result = train_run(task, options);
  if (result.stopped) {
    print_sentence("the page is " + folder.file("index.html"));
    print_line("go on with: build/charlm train --resume --run " + shell_quoted(options.run));
    return kInterrupted;
  }
  const LoadedModel loaded = load_run(options.run);
  const std::string prompt = "// The ";
  print_line("\nwhat it writes behind \"" + prompt + "\":\n");
  print_line(prompt + sampled_text(*loaded.model, *loaded.vocabulary, prompt, {.length = 400, .temperature = 0.6}));
  print_line(format("\nvalidation: %.2f bits per byte; expected: about %.2f", result.valid_score,
                    quick ? kQuickExpected : kExpected));
  print_line(format(
      "  of tests that it has not read, which are easier than the rest; knowing only how frequent each byte is: %.2f",
      data.valid.entropy()));
  print_sentence("the page is " + folder.file("index.html") + "; open it in a browser");
  print_sentence("next: build/charlm train --data YOUR.txt --run runs/mine, and build/charlm --help");
  return 0;
}
