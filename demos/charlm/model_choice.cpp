// --run and --best: which model a command works with.
#include <cstdio>

#include "demos/charlm/charlm.h"

using namespace heed;

void ModelChoice::add_options(CommandLine& line) {
  line.option("--run", run, "the run folder, or the file of a checkpoint");
  line.flag("--best", best, "the checkpoint with the best validation, in place of the newest");
}

LoadedModel ModelChoice::load() const {
  return load_run(run, best, [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); });
}
