// The commands of charlm, one file each.
#pragma once

#include <string>

#include "data/byte_data.h"
#include "models/sampler.h"
#include "system/command_line.h"
#include "tasks/language/lm_run_load.h"
#include "train/run_info.h"
#include "train/run_page.h"

int train_command(int argc, char** argv);
int eval_command(int argc, char** argv);
int sample_command(int argc, char** argv);
int info_command(int argc, char** argv);
int look_command(int argc, char** argv);
int compare_command(int argc, char** argv);
int orderings_command(int argc, char** argv);
int runs_command(int argc, char** argv);
int fetch_command(int argc, char** argv);
int demo_command(int argc, char** argv);

// What several commands share.

inline constexpr const char* kUsualRun = "runs/charlm";

// At a terminal: reads lines, and lets the model go on with each, until there are no more (Ctrl-D). An empty line lets
// it go on with what it wrote. Returns the exit code.
int converse(const heed::LoadedModel& loaded, heed::SampleOptions options);

// "self": heed's own source and docs, wherever the program is called from; otherwise a file or a folder.
heed::ByteData open_data(const std::string& data);

// What the run folder of a language model says about it. Throws if it is none.
heed::RunFacts facts_of(const heed::RunFolder& run);

// What the page of a run says about charlm: what the model is, and which commands go on with it.
heed::RunPage page_of(const std::string& run, const heed::LmSettings& settings);

// --run and --best
struct ModelChoice {
  std::string run = kUsualRun;
  bool best = false;
  void add_options(heed::CommandLine& line);
  heed::LoadedModel load() const;  // says on stderr what it leaves out
};
