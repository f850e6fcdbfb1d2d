// charlm orderings: what the order of a transformer's sublayers is worth. The options, and what is printed around the
// training of the set, which is tasks/language/ordering_training.h.
#include "models/orderings.h"

#include <filesystem>

#include "demos/charlm/charlm.h"
#include "demos/charlm/setting_options.h"
#include "system/error.h"
#include "system/interrupt.h"
#include "system/progress.h"
#include "system/shell_quoted.h"
#include "tasks/language/ordering_folder.h"
#include "tasks/language/ordering_training.h"
#include "tensor/machine.h"
#include "train/train_options.h"

using namespace heed;

namespace {

// Two layers have few orders, and the checkpoints of many runs need much room.
LmSettings usual(const std::string& name) {
  LmSettings s = preset(name);
  if (name == "tiny") s.layers = 4;
  s.keep = 1;
  return s;
}

// What was typed, on top of what the folder has.
OrderingSet set_of(const TypedSettings& options, const std::optional<SavedOrderings>& before) {
  OrderingSet set = before ? before->set : OrderingSet{};
  options.copy_given(table_of(set));
  if (options.given("set")) listed_orderings(set.set);  // throws also if it is empty
  for (const char* count : {"random", "unbalanced"})
    HEED_CHECK(!options.given(count) || set.set.empty(), "orderings", "the set '", set.set,
               "' names its orderings by itself; leave ", option_name(count), " away, or write ", count,
               ":1..N into --set");
  return set;
}

RunPage page_of_set(const std::string& folder, const LmSettings& settings) {
  return {.about = "orderings of " + page_of(folder, settings).about,
          .commands = {"build/charlm orderings --run " + shell_quoted(folder) +
                           " --resume      # what is missing; more: --random N",
                       "build/charlm compare " + shell_quoted(folder) + "/*/",
                       "build/charlm sample --run " + shell_quoted(folder) + "/RUN"}};
}

Json final_line_of(const OrderingRun& run, const RunResult& result) {
  Json line = final_json(result, Score{});
  line["run"] = run.folder(), line["ordering"] = run.name, line["letters"] = run.letters, line["seed"] = run.seed;
  line["parameters"] = run.parameters;
  return line;
}

// What there is, and what to do next. Returns the exit code.
int print(const TrainOptions& train, const TrainedOrderings& trained) {
  const std::string& folder = trained.results.folder;
  train.json ? print_line(results_json(trained.results).dump()) : print_line("\n" + results_text(trained.results));
  for (const std::string& failed : trained.failed) train.run.say(failed);
  train.run.say(trained.stopped ? "go on with: build/charlm orderings --resume --run " + shell_quoted(folder)
                                : "the page is " + folder + "/index.html, the chart " + folder + "/orderings.png");
  return trained.stopped ? kInterrupted : trained.failed.empty() ? 0 : 1;
}

}  // namespace

int orderings_command(int argc, char** argv) {
  TrainOptions train;
  train.run.run = "runs/orderings";
  OrderingSet typed;
  CommandLine line("charlm orderings",
                   "Trains orderings of a transformer's sublayers, each for as many steps, and draws what they reach.");
  const TypedSettings set_options(line, table_of(typed));
  const SettingOptions options(line, {.usual_preset = "tiny", .preset = usual, .without = {"ordering"}});
  train.add_set_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (!train.json) print_sentence(machine_description());
  const auto before = train.run.resume ? OrderingFolder(train.run.run).saved() : std::nullopt;
  HEED_CHECK(!train.run.resume || before || std::filesystem::exists(train.run.run), "orderings", "there is no set ",
             train.run.run, "; without --resume it is begun");
  const OrderingSet set = set_of(set_options, before);
  LmSettings settings = options.settings(train.run.run, before ? std::optional(before->settings) : std::nullopt);
  train.check_minutes(line, settings);
  train.learns(settings.data, {"self"});
  const ByteData data = open_data(settings.data);
  settings.sample_rate = data.sample_rate;
  train.check_apart(settings.data);
  train.begin();
  train.run.say(settings.data + ": " + data.summary());
  train.run.page = page_of_set(train.run.run, settings);
  OrderingOptions all{.run = train.run, .minutes = train.minutes, .run_page = page_of};
  all.run.metrics = {};  // each run has its own; here a line for a run is enough
  if (train.json) all.trained = [](const auto&... of) { print_line(final_line_of(of...).dump()); };
  return print(train, train_orderings(set, settings, data, all));
}
