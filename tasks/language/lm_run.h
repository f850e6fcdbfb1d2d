// A whole run: trains, evaluates, saves and shows it, from the start or from where it stopped.
//
//   const ByteData data = ByteData::open("data/enwik8");
//   const LmResult result = train_run(preset("small"), data, {.run = "runs/mine", .resume = true});
//
// Ctrl-C saves a checkpoint and ends; the same call with resume goes on, to the same bits.
#pragma once

#include <functional>
#include <string>

#include "tasks/language/bits_per_byte.h"
#include "tasks/language/lm_trainer.h"
#include "train/run_folder.h"

namespace heed {

struct LmRunOptions {
  std::string run = "runs/charlm";
  bool resume = false;                               // go on from the newest checkpoint, if there is one
  bool check_finite = false;                         // look at the result of every op
  bool quiet = false;                                // no line of progress
  std::function<void(const std::string&)> say = {};  // takes sentences for the user
  std::function<void(const Json&)> metrics = {};     // takes each line that goes into metrics.jsonl
};

struct LmResult {
  long step = 0;
  double train_bpc = 0;     // a running mean over about the last 50 steps
  double valid_bpc = NAN;   // NaN: not measured yet
  double tokens_per_s = 0;  // of training alone
  size_t peak_bytes = 0;
  bool stopped = false;  // by Ctrl-C
};

LmResult train_run(const LmSettings& settings, const ByteData& data, const LmRunOptions& options);

// The model of a run as its newest checkpoint has it (or its best; or a file of one), to sample, evaluate or look at. A
// newest one that is damaged is left out with a sentence; a best one, or a file, that is damaged is an error.
struct LoadedModel {
  LmSettings settings = {};
  long step = 0;
  std::string path = {};  // of the checkpoint
  std::map<std::string, double> numbers = {};
  std::unique_ptr<Gpt> model = {};
};
LoadedModel load_run(const std::string& run_or_file, bool best = false,
                     const std::function<void(const std::string&)>& say = {});

}  // namespace heed
