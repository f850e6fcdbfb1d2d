// RunFolder: all that a run writes, in one place.
//
//   RUN/config.json                       the settings
//   RUN/metrics.jsonl                     a line per step or evaluation: {"step":120,"bpc":2.31,...}
//   RUN/checkpoints/step-000120.safetensors
//   RUN/samples/step-000120.txt           what the model wrote then; .wav: which sound it made, .png: what it drew
//   RUN/loss.svg, loss.png, index.html    to look at, without a server
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "show/picture.h"
#include "system/error.h"
#include "system/json.h"

namespace heed {

// There is no run where one was looked for.
class NoRun : public Error {
 public:
  NoRun(const std::string& text, const std::string& run) : Error(text), run_(run) {}
  const std::string& run() const { return run_; }  // the folder: training makes it one

 private:
  std::string run_;
};

class RunFolder {
 public:
  explicit RunFolder(const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool exists() const;  // has it a config.json?

  void erase() const;  // removes what a run writes, and nothing else that may be in the folder

  void write_config(const Json& settings) const;
  Json config() const;  // throws NoRun if there is none

  void log(const Json& line) const;    // adds a line to the metrics
  std::vector<Json> metrics() const;   // none if there are none; lines that a kill or a full disk cut off are left out
  void forget_after(long step) const;  // drops what a run that is resumed at this step will do again

  std::optional<double> last(const std::string& name) const;  // its last value in the metrics

  // The pairs (x, y) of all lines that have both names: curve("step", "valid_bpc").
  std::vector<Point> curve(const std::string& x, const std::string& y) const;

  void write_sample(long step, const std::string& text) const;
  std::vector<std::pair<long, std::string>> samples() const;  // by step
  // The same for sound, which who knows its format writes to this path; the list has names:
  // "samples/step-000120.wav".
  std::string sound_path(long step) const;
  std::vector<std::pair<long, std::string>> sounds() const;
  std::string picture_path(long step) const;  // and for pictures
  std::vector<std::pair<long, std::string>> pictures() const;

 private:
  std::string path_;
};

// While it lives, this process alone trains in the folder, which must exist; the system lets go when it is killed.
// Throws if another process has it. Where a file system knows no locks, nothing is locked.
class RunLock {
 public:
  explicit RunLock(const RunFolder& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int folder_;  // a descriptor
};

std::vector<Point> curve_of(const std::vector<Json>& metrics, const std::string& x, const std::string& y);

// At most about `count` points: neighbours become their mean.
std::vector<Point> thinned(const std::vector<Point>& points, size_t count);

}  // namespace heed
