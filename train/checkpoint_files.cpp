#include "train/checkpoint_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "system/write_file.h"
#include "train/step_name.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOp = "checkpoint";
constexpr const char* kEnding = ".safetensors";

// NaN if it has none, or cannot be read.
double valid_score(const std::string& path, const Score& score) {
  try {
    const TrainingState state = read_checkpoint_summary(path);
    const auto found = state.numbers.find(score.valid());
    return found == state.numbers.end() ? NAN : found->second;
  } catch (const Error&) {
    return NAN;
  }
}

}  // namespace

CheckpointFiles::CheckpointFiles(const std::string& run, int keep, const Score& score)
    : folder_((fs::path(run) / "checkpoints").string()), keep_(keep), score_(score) {
  HEED_CHECK(keep >= 1, kOp, "to keep the last ", keep, " checkpoints is not possible; the last 1 must stay");
}

std::string CheckpointFiles::path(long step) const { return (fs::path(folder_) / step_name(step, kEnding)).string(); }

std::vector<CheckpointFile> CheckpointFiles::list() const {
  std::vector<CheckpointFile> files;
  for (const long step : steps_in(kOp, folder_, kEnding)) files.push_back({step, path(step)});
  return files;
}

void CheckpointFiles::prepare() const {
  check_writable((fs::path(folder_) / "step").string());
  const fs::path run = fs::path(folder_).parent_path();
  for (const fs::path& folder : {run, run / "samples", fs::path(folder_)}) remove_stale_temporaries(folder.string());
}

std::string CheckpointFiles::save(const TrainingState& state) const {
  const std::vector<CheckpointFile> before = list();
  try {
    write_safetensors(path(state.step), to_safetensors(state));
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    if (before.empty()) throw;
    fail(kOp, "step ", state.step, " was not saved (", error.what(),
         "); the last checkpoint is as it was: ", before.back().path);
  }
  remove_old(state.step);
  return path(state.step);
}

// Those behind `step` stay: they are not older.
void CheckpointFiles::remove_old(long step) const {
  const std::optional<CheckpointFile> kept = best();
  std::vector<CheckpointFile> files = list();
  std::erase_if(files, [&](const CheckpointFile& file) { return file.step > step; });
  for (long i = 0; i < long(files.size()) - keep_; i++) {
    std::error_code none;  // one that cannot be removed stays, and is tried again next time
    if (!kept || files[size_t(i)].step != kept->step) fs::remove(files[size_t(i)].path, none);
  }
}

std::optional<TrainingState> CheckpointFiles::newest(Say say, CheckpointPart part) const {
  std::vector<CheckpointFile> files = list();
  std::vector<std::string> left_out;
  std::string reason;
  for (size_t i = files.size(); i-- > 0;) {
    try {
      TrainingState state = read_checkpoint(files[i].path, part);
      for (const std::string& text : left_out) say(text);
      return state;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error& error) {
      if (changed_since(files)) {
        files = list(), i = files.size(), left_out.clear();
        continue;
      }
      reason = error.what();
      left_out.push_back("the checkpoint of step " + std::to_string(files[i].step) + " is left out: " + reason);
    }
  }
  for (const std::string& text : left_out) say(text);
  HEED_CHECK(files.empty(), kOp, "none of the ", files.size(), " checkpoints in ", folder_, " can be read (", reason,
             "). Remove them to start from step 0");
  return {};
}

std::optional<CheckpointFile> CheckpointFiles::best() const {
  for (;;) {
    const std::vector<CheckpointFile> files = list();
    std::optional<CheckpointFile> found;
    double best = NAN;
    for (const CheckpointFile& file : files) {
      const double value = valid_score(file.path, score_);
      if (std::isnan(value) || (found && !score_.better(value, best))) continue;
      best = value;
      found = file;
    }
    if (!changed_since(files)) return found;
  }
}

std::optional<TrainingState> CheckpointFiles::read_best(CheckpointPart part) const {
  while (const std::optional<CheckpointFile> file = best()) {
    const std::vector<CheckpointFile> files = list();
    try {
      return read_checkpoint(file->path, part);
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error&) {
      if (!changed_since(files) && fs::exists(file->path)) throw;
    }
  }
  return {};
}

// Another process may save and remove checkpoints while we look at them.
bool CheckpointFiles::changed_since(const std::vector<CheckpointFile>& files) const {
  const std::vector<CheckpointFile> now = list();
  return !std::equal(files.begin(), files.end(), now.begin(), now.end(),
                     [](const auto& a, const auto& b) { return a.step == b.step; });
}

}  // namespace heed
