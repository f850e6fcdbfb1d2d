// A whole run: trains a task, evaluates, saves and shows it, from the start or from where it stopped. It knows no model
// and no data, only what a Task (task.h) tells.
//
//   const RunResult result = train_run(task, {.run = "runs/mine", .resume = true});
//
// Ctrl-C saves a checkpoint and ends; the same call with resume goes on, to the same bits.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "system/json.h"
#include "train/run_page.h"
#include "train/task.h"

namespace heed {

struct RunOptions {
  std::string run = {};        // the folder
  bool resume = false;         // go on from the newest checkpoint, if there is one
  std::string data_path = {};  // where the data lies, if it is a file or a folder: for config.json
  std::string from = {};       // begin with the weights of this run or checkpoint: warm_start.h
  bool check_finite = false;   // look at the result of every op
  bool quiet = false;          // no line of progress
  std::function<void(const std::string&)> say = {};  // takes sentences for the user
  std::function<void(const Json&)> metrics = {};     // takes each line that goes into metrics.jsonl
  // How the user of this program says a name of these options or of the settings, for hints: "resume" -> "--resume".
  std::function<std::string(const std::string&)> option_name = [](const std::string& name) { return name; };
  RunPage page = {};  // what the run's page says beside the run itself
};

struct RunResult {
  long step = 0;
  double train_score = 0;    // the running mean of recent steps: score.h
  double valid_score = NAN;  // the last one; NaN: not measured yet
  long valid_step = 0;       // when it was measured; 0: not yet
  double tokens_per_s = 0;   // of training alone
  size_t peak_bytes = 0;
  bool stopped = false;  // by Ctrl-C
};

RunResult train_run(Task& task, const RunOptions& options);

// The last line of a program that trains, "final step=N train_X=... valid_X=... tokens_per_s=... peak_bytes=...", and
// the same as JSON. X is the score's name. If the validation is of another step than the last, " valid_step=N" follows.
std::string final_line(const RunResult& result, const Score& score);
Json final_json(const RunResult& result, const Score& score);

}  // namespace heed
