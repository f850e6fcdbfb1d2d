// Runs build/charlm, or another program, as a user does, from a test: in a folder of its own, with a model that takes
// milliseconds.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/folder.h"
#include "train/checkpoint_files.h"

using Words = std::vector<std::string>;

struct Ran {
  int code = 0;          // the exit code; minus the signal that ended it
  std::string out, err;  // what it wrote
};

// charlm, or the program that is named, in the background. It is killed if nobody waits for it.
class Charlm {
 public:
  // The folder takes what it prints, or `out` what it prints to stdout: then Ran::out stays empty. It is started in the
  // folder `from`, or where the tests are, and reads the file `in`.
  Charlm(const std::string& folder, const Words& words, const std::string& out = "",
         const std::string& program = "charlm", const std::string& from = "", const std::string& in = "/dev/null");
  ~Charlm();
  Charlm(const Charlm&) = delete;
  Charlm& operator=(const Charlm&) = delete;

  void signal(int number) const;
  void wait_until(heed::FunctionRef<bool()> holds) const;  // fails the test if it ends before
  void wait_for(const std::string& text) const;            // until it has printed this
  Ran wait();

 private:
  bool ended() const;

  std::string out_, err_;
  pid_t child_ = -1;
};

Ran charlm(const std::string& folder, const Words& words, const std::string& out = "");  // and waits for it

// Options of a very small model, and others behind them: they win.
Words tiny_train(const std::string& data, const std::string& run, const Words& more = {});

// A folder with a text to learn, and a place for the run.
struct Place {
  Folder folder;
  std::string data = folder / "a.txt", run = folder / "run";
  Place();
  Ran operator()(const Words& words) const { return charlm(folder.path.string(), words); }
  Ran train(const Words& more = {}) const { return (*this)(tiny_train(data, run, more)); }
  std::string checkpoint(long step) const { return heed::CheckpointFiles(run).path(step); }
};

// And a run that has learned it for 12 steps.
struct Trained : Place {
  Ran ran;
  explicit Trained(const Words& more = {});
};

std::string last_line(const std::string& text);
bool contains(const std::string& text, const std::string& part);
// Do two checkpoints have the same step, weights and optimiser tensors, bit by bit?
bool same_training(const std::string& a, const std::string& b);
std::string newest_checkpoint(const std::string& run);
