#include "train/typed_settings.h"

#include <algorithm>

#include "system/error.h"
#include "train/checkpoint_files.h"

namespace heed {
namespace {

std::optional<Json> settings_in(const std::string& checkpoint) {
  try {
    return Json::parse(read_checkpoint_summary(checkpoint).settings, checkpoint);
  } catch (const Error&) {  // it is damaged; the run leaves it out and says so
    return {};
  }
}

}  // namespace

std::string option_name(const std::string& setting) {
  if (setting == "rate") return "--lr";
  std::string name = "--" + setting;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

namespace {

// What other programs call these.
void add_other_names(CommandLine& line) {
  line.also_called("--lr", {"--learning-rate", "--rate", "--max-lr"});
  line.also_called("--layers", {"--n-layer", "--n-layers", "--num-layers", "--depth"});
  line.also_called("--width", {"--n-embd", "--d-model", "--dim", "--hidden-size", "--embedding-size", "--channels"});
  line.also_called("--heads", {"--n-head", "--n-heads", "--num-heads"});
  line.also_called("--context", {"--block-size", "--seq-len", "--sequence-length", "--context-length", "--max-length"});
  line.also_called("--batch", {"--batch-size", "--bs"});
  line.also_called("--micro-batch", {"--gradient-accumulation", "--gradient-accumulation-steps", "--accumulate"});
  line.also_called("--steps", {"--max-iters", "--max-steps", "--iterations", "--iters", "--epochs"});
  line.also_called("--minutes", {"--time", "--hours", "--duration"});
  line.also_called("--schedule", {"--warmup", "--warmup-steps", "--warmup-iters", "--lr-schedule"});
  line.also_called("--clip", {"--grad-clip", "--max-grad-norm", "--gradient-clip"});
  line.also_called("--weight-decay", {"--wd", "--decay"});
  line.also_called("--optimiser", {"--optimizer"});
  line.also_called("--checkpoint-every", {"--save-every", "--save-interval", "--eval-interval", "--eval-every"});
  line.also_called("--data", {"--dataset", "--input", "--text", "--file", "--train-file", "--corpus"});
  line.also_called("--run", {"--out", "--out-dir", "--output", "--output-dir", "--name", "--folder"});
  line.also_called("--resume", {"--continue", "--restart"});
  line.also_called("--from", {"--init-from", "--weights", "--checkpoint", "--pretrained"});
  line.also_called("--recompute-blocks", {"--gradient-checkpointing", "--checkpoint-blocks"});
  line.also_called("--device", {"--gpu", "--cuda"});
}

}  // namespace

TypedSettings::TypedSettings(CommandLine& line, const SettingTable& table, const Help& help)
    : line_(line), table_(table) {
  std::erase_if(table_, [](const Setting& setting) { return setting.help.empty(); });
  for (Setting& setting : table_) {
    if (help) setting.help = help(setting);
    setting.add_option(line, option_name(setting.name));
  }
  add_other_names(line);
  line.word_is_for("--data");
}

bool TypedSettings::given(const std::string& setting) const {
  const auto is_called = [&](const Setting& each) { return each.name == setting; };
  return std::any_of(table_.begin(), table_.end(), is_called) && line_.given(option_name(setting));
}

void TypedSettings::copy_given(const SettingTable& to) const {
  for (const Setting& one : to)
    for (const Setting& from : table_)
      if (from.name == one.name && given(from.name)) one.copy(from);
}

void TypedSettings::check_schedule(const TrainSettings& s) const {
  const long own = schedule_of(s).steps();
  HEED_CHECK(!given("steps") || own == s.steps, "train", "the schedule '", s.schedule, "' says its steps by itself (",
             own, "); leave --steps away, or the steps in the schedule");
  for (const char* name : {"rate", "floor"})
    HEED_CHECK(!given(name) || s.schedule.find(std::string(name) + "=") == std::string::npos, "train", "the schedule '",
               s.schedule, "' says its ", name, " by itself; leave ", option_name(name), " away, or the ", name,
               " in the schedule");
}

std::optional<SavedSettings> saved_settings(const RunFolder& folder) {
  if (auto config = folder.intact_config()) {
    SavedSettings saved{std::move(*config), folder.file("config.json")};
    if (saved.json.find("data")) saved.json["data"] = folder.data();
    return saved;
  }
  const auto list = CheckpointFiles(folder.path()).list();
  for (auto file = list.rbegin(); file != list.rend(); ++file)
    if (auto json = settings_in(file->path)) return SavedSettings{std::move(*json), file->path};
  if (folder.exists()) folder.config();  // throws: it is all there is
  return std::nullopt;
}

std::optional<SavedSettings> settings_to_resume(const RunFolder& folder) {
  if (!folder.begun()) throw NoRun("train: there is no run " + folder.path(), folder.path());
  return saved_settings(folder);
}

}  // namespace heed
