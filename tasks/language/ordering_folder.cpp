#include "tasks/language/ordering_folder.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "system/error.h"
#include "system/file_bytes.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tasks/language/ordering_results.h"
#include "train/checkpoint_files.h"
#include "train/typed_settings.h"

namespace heed {
namespace {

constexpr const char* kOp = "orderings";

std::string file_in(const std::string& folder) { return folder + "/orderings.json"; }

// Without what changes neither a weight nor the score, and where the data lies: that has a fingerprint.
Json deciding(LmSettings s) {
  s.data = "", s.checkpoint_every = 0, s.keep = 1, s.sample_bytes = 0;
  return to_json(s);
}

}  // namespace

OrderingFolder::OrderingFolder(const std::string& path,
                               const std::function<std::string(const std::string&)>& option_name)
    : path_(RunFolder(path).path()),
      option_(option_name ? option_name : [](const std::string& name) { return name; }) {}

bool OrderingFolder::is_begun(const OrderingRun& of) const {
  return run(of).exists() || !CheckpointFiles(run(of).path()).list().empty();
}

bool OrderingFolder::is_finished(const OrderingRun& of, long last_step) const {
  return std::isfinite(finished_score(run(of).path(), last_step));
}

std::optional<SavedOrderings> OrderingFolder::saved() const {
  const std::string path = file_in(path_);
  if (std::error_code none; !std::filesystem::is_regular_file(path, none)) return std::nullopt;
  const Json json = Json::parse(FileBytes(kOp, path).bytes(), path);
  SavedOrderings saved{.settings = settings_from_json(json.at("settings"), path),
                       .fingerprint = json.at("fingerprint").text()};
  read_settings(table_of(saved.set), json.at("orderings"), path);
  return saved;
}

void OrderingFolder::save(const SavedOrderings& orderings) const {
  OrderingSet set = orderings.set;
  const Json json = Json::Object{{"orderings", to_json(table_of(set))},
                                 {"fingerprint", orderings.fingerprint},
                                 {"settings", to_json(orderings.settings)}};
  write_file(file_in(path_), json.dump(2) + "\n");
}

void OrderingFolder::check_writable() const { heed::check_writable(file_in(path_)); }

void OrderingFolder::check(const SavedOrderings& now, const std::vector<OrderingRun>& runs, bool resume) const {
  HEED_CHECK(!RunFolder(path_).exists(), kOp, path_,
             " is the folder of a single run; a set of runs needs one for itself. Choose another with ",
             option_("run"));
  if (!resume) check_unused(runs);
  if (const auto before = saved()) {
    refuse_changes(path_, before->settings, now.settings);
    HEED_CHECK(before->fingerprint == now.fingerprint, kOp, path_, " has learned other data (", before->fingerprint,
               "; now ", now.fingerprint, "): its runs could not be compared. Choose another folder with ",
               option_("run"));
  }
  for (const OrderingRun& each : runs)
    if (const auto before = saved_settings(run(each)))
      refuse_changes(run(each).path(), settings_from_json(before->json, before->from), settings_of(each, now.settings));
}

void OrderingFolder::check_unused(const std::vector<OrderingRun>& runs) const {
  const long begun = std::count_if(runs.begin(), runs.end(), [&](const OrderingRun& each) { return is_begun(each); });
  HEED_CHECK(begun == 0 && !saved(), kOp, path_, " holds a set of orderings already, with ", begun, " of these ",
             runs.size(), " runs; go on with ", option_("resume"), ", or choose another folder with ", option_("run"));
}

void OrderingFolder::refuse_changes(const std::string& where, const LmSettings& before, const LmSettings& now) const {
  const std::vector<std::string> changes = differences(deciding(before), deciding(now));
  HEED_CHECK(changes.empty(), kOp, where, " began with other settings: ", joined(changes, ", "),
             ". Only equal runs can be compared: leave these options away, or choose another folder with ",
             option_("run"));
}

}  // namespace heed
