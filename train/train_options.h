// TrainOptions: the options that every program that trains has, besides its settings (typed_settings.h), and what it
// prints around the run.
#pragma once

#include <string>
#include <vector>

#include "system/command_line.h"
#include "train/run.h"
#include "train/typed_settings.h"

namespace heed {

struct TrainOptions {
  RunOptions run{.option_name = option_name};
  bool json = false;
  double minutes = 0;

  void add_options(CommandLine& line);      // of one run
  void add_set_options(CommandLine& line);  // the same for several that are trained one after the other: without --from
  void begin();  // after parsing: sentences go to stdout, or with --json to stderr, and metrics to stdout

  // After parsing: what is learned. The run remembers where it lies, unless it is one of `names`, which are no paths.
  // Throws if it was there when the run began, and is gone.
  void learns(const std::string& data, const std::vector<std::string>& names);

  // Throws if the run folder lies in the folder that is learned: it would learn what it writes when it is resumed.
  void check_apart(const std::string& data) const;

  void check_minutes(const CommandLine& line, const TrainSettings& s) const;  // throws if something else says the steps
  // --minutes as steps, found out with a task that is not trained.
  long steps_for(const CommandLine& line, Task& trial) const;
  // Trains, prints the last line and returns the exit code. `program`: as it is called, "build/charlm".
  int train(Task& task, const std::string& program) const;
};

}  // namespace heed
