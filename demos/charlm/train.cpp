// charlm train: the options of a run, and what is printed before and after it; the run itself is
// train/run.h, and what all programs that train have in common is train/train_options.h.
#include <optional>

#include "demos/charlm/charlm.h"
#include "demos/charlm/setting_options.h"
#include "system/progress.h"
#include "system/text.h"
#include "tasks/language/conversion.h"
#include "tasks/language/language_task.h"
#include "tasks/language/preset_choice.h"
#include "tensor/machine.h"
#include "train/run_load.h"
#include "train/train_options.h"

using namespace heed;

namespace {

LmSettings for_data(LmSettings settings, const ByteData& data) {
  settings.sample_rate = data.sample_rate;
  return settings;
}

long steps_of(const LmSettings& settings, const ByteData& data, const TrainOptions& train, const CommandLine& line) {
  LanguageTask trial(settings, data);
  return train.steps_for(line, trial);
}

// --minutes without --preset: the time and the size of the text choose it. Steps of the smallest are tried; a larger
// one needs as much more time for a step as it has more weights times tokens.
LmSettings settings_for_time(const SettingOptions& options, const ByteData& data, const TrainOptions& train,
                             const CommandLine& line) {
  const auto parameters = [](const LmSettings& s) { return Gpt(model_options(s)).parameter_count(); };
  const auto work = [&](const LmSettings& s) { return double(parameters(s)) * double(s.batch * s.context); };
  LmSettings smallest = for_data(options.of_preset(preset_names()[0]), data);
  smallest.steps = steps_of(smallest, data, train, line);
  const auto facts = [&](const std::string& name) {
    const LmSettings s = for_data(options.of_preset(name), data);
    return PresetFacts{parameters(s), double(smallest.steps) * work(smallest) / work(s)};
  };
  const auto [name, why] = chosen_preset(preset_names(), facts, data.train.size(), 60 * train.minutes);
  train.run.say("preset " + name + ": " + why + "; --preset chooses another");
  if (name == smallest.preset) return smallest;
  LmSettings chosen = for_data(options.of_preset(name), data);
  chosen.steps = steps_of(chosen, data, train, line);
  return chosen;
}

bool is_language_model(const FoundCheckpoint& found) {
  try {
    settings_from_json(Json::parse(found.state.settings, found.path), found.path);
    return true;
  } catch (const Error&) {  // of another kind: what fits is taken
    return false;
  }
}

// --from RUN with a longer --context: its model, for longer texts.
std::optional<LoadedModel> model_to_convert(const TrainOptions& train, const SettingOptions& options) {
  if (train.run.from.empty() || train.run.resume || !options.types_context()) return {};
  if (!is_language_model(find_checkpoint(train.run.from))) return {};
  LoadedModel old = load_run(train.run.from);
  if (!options.lengthens(old.settings)) return {};
  return old;
}

LmSettings for_longer_texts(const LoadedModel& old, long context, const std::string& from) {
  const LmSettings& s = old.settings;
  return converted(s, context, from,
                   ". Go on in its own folder with --resume --context " + std::to_string(context) +
                       ", or begin with its weights as they are: --preset " + s.preset + " --positions " + s.positions);
}

void tell_conversion(const LoadedModel& old, const LmSettings& settings, const ByteData& data, TrainOptions& train) {
  train.run.say(train.run.from + " becomes a model of " + settings.attention + " for " +
                std::to_string(settings.context) + " bytes");
  const std::string text = conversion_loss(old, settings, data.valid).text();
  train.run.say(text);
  train.run.page.notes.push_back(text);
}

}  // namespace

int train_command(int argc, char** argv) {
  TrainOptions train;
  train.run.run = kUsualRun;
  CommandLine line("charlm train", "Trains a character language model and writes all of it into a run folder.");
  const SettingOptions options(line);
  train.add_options(line);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (!train.json) print_sentence(machine_description());
  const std::optional<LoadedModel> old = model_to_convert(train, options);
  LmSettings settings =
      old ? options.settings(train.run.from, for_longer_texts(*old, options.context(), train.run.from))
          : options.settings(train.run.run, train.run.resume);
  train.learns(settings.data, {"self"});
  const ByteData data = open_data(settings.data);
  settings = for_data(settings, data);
  train.check_apart(settings.data);
  train.begin();
  train.run.say(settings.data + ": " + data.summary() +
                format("; knowing only frequencies: %.2f bits per byte", data.valid.entropy()));
  const std::string note = note_on_little_text(data.train.size(), data.valid.size());
  if (!note.empty()) train.run.say(note);
  if (train.minutes > 0 && !options.names_preset() && !old)
    settings = settings_for_time(options, data, train, line);
  else if (train.minutes > 0)
    settings.steps = steps_of(settings, data, train, line);
  train.run.page = page_of(train.run.run, settings);
  if (!note.empty()) train.run.page.notes = {note};
  if (old) tell_conversion(*old, settings, data, train);
  const auto vocabulary = old                ? old->vocabulary
                          : train.run.resume ? vocabulary_of_run(train.run.run)
                                             : byte_vocabulary();
  LanguageTask task(settings, data, vocabulary);
  return train.train(task, "build/charlm");
}
