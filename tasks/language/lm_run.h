// A whole run: trains, evaluates, saves and shows it, from the start or from where it stopped.
//
//   const ByteData data = ByteData::open("data/enwik8");
//   const LmResult result = train_run(preset("small"), data, {.run = "runs/mine", .resume = true});
//
// Ctrl-C saves a checkpoint and ends; the same call with resume goes on, to the same bits.
#pragma once

#include <cmath>
#include <functional>
#include <string>

#include "data/byte_data.h"
#include "system/json.h"
#include "tasks/language/lm_settings.h"
#include "train/run_page.h"

namespace heed {

struct LmRunOptions {
  std::string run = {};                              // the folder
  bool resume = false;                               // go on from the newest checkpoint, if there is one
  bool check_finite = false;                         // look at the result of every op
  bool quiet = false;                                // no line of progress
  std::function<void(const std::string&)> say = {};  // takes sentences for the user
  std::function<void(const Json&)> metrics = {};     // takes each line that goes into metrics.jsonl
  // How the user of this program says a name of these options or of the settings, for hints: "resume" -> "--resume".
  std::function<std::string(const std::string&)> option_name = [](const std::string& name) { return name; };
  RunPage page = {};  // what the run's page says beside the run itself
};

struct LmResult {
  long step = 0;
  double train_bpc = 0;     // a running mean over about the last 50 steps
  double valid_bpc = NAN;   // the last one; NaN: not measured yet
  double tokens_per_s = 0;  // of training alone
  size_t peak_bytes = 0;
  bool stopped = false;  // by Ctrl-C
};

LmResult train_run(const LmSettings& settings, const ByteData& data, const LmRunOptions& options);

}  // namespace heed
