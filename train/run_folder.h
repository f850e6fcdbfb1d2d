// RunFolder: all that a run writes, in one place.
//
//   RUN/config.json                       the settings, and where the data lay: "data_path"
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
  bool begun() const;   // has it anything of a run, perhaps of one that was killed before its first step?

  // Makes room for another run of this name: the folder and all that is in it becomes PATH-1, or the next number that
  // is free. Returns its new path.
  std::string move_aside() const;

  // `data_path`: where the data lies, from the root on; empty if it is no file or folder.
  void write_config(const Json& settings, const std::string& data_path = "") const;
  // The settings. Throws NoRun if there is none, and an Error if it is damaged: no JSON, or no object.
  Json config() const;
  std::optional<Json> intact_config() const;  // nothing in both cases: a checkpoint has the settings, too
  // What the run has learned: "data" of the settings, as the user gave it, or where it lay if that is another place
  // than this name means here and now (a run may be used from other folders than it was started in).
  std::string data() const;

  void log(const Json& line) const;    // adds a line to the metrics
  std::vector<Json> metrics() const;   // none if there are none; lines that a kill or a full disk cut off are left out
  void forget_after(long step) const;  // drops what a run that is resumed at this step will do again

  std::optional<double> last(const std::string& name) const;     // its last value in the metrics
  std::optional<Json> last_line(const std::string& name) const;  // the last line that has it

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

std::string absolute_path(const std::string& path);  // from the root on

// While it lives, this process alone trains in the folder, which must exist; the system lets go when it is killed.
// Throws if another process has it, or if the folder cannot be opened. Where a file system knows no locks, nothing is
// locked.
class RunLock {
 public:
  explicit RunLock(const RunFolder& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int folder_;  // a descriptor
};

std::optional<Json> last_line_of(const std::vector<Json>& metrics, const std::string& name);
std::vector<Point> curve_of(const std::vector<Json>& metrics, const std::string& x, const std::string& y);

// At most about `count` points: neighbours become their mean.
std::vector<Point> thinned(const std::vector<Point>& points, size_t count);

}  // namespace heed
