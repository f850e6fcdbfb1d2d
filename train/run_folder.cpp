#include "train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "system/file_bytes.h"
#include "system/write_file.h"
#include "train/step_name.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataPath = "data_path";

std::string text_of(const std::string& path) { return std::string(FileBytes("run", path).bytes()); }

bool is_file(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

std::string sample_name(long step, const char* ending) { return "samples/" + step_name(step, ending); }

// The files of samples with this ending, by step: their names in the run folder.
std::vector<std::pair<long, std::string>> sample_files(const RunFolder& run, const char* ending) {
  std::vector<std::pair<long, std::string>> list;
  for (const long step : steps_in("run", run.file("samples"), ending))
    list.emplace_back(step, sample_name(step, ending));
  return list;
}

Json whole_config(const RunFolder& run) {
  if (!run.exists()) throw NoRun("run: " + run.path() + " is not a run folder: it has no config.json", run.path());
  const Json all = Json::parse(text_of(run.file("config.json")), run.file("config.json"));
  HEED_CHECK(all.is_object(), "run", run.file("config.json"), " is damaged: it must be an object of settings");
  return all;
}

// An object with a whole "step"; nothing if the line is no such thing.
std::optional<Json> metric(std::string_view line) {
  try {
    Json json = Json::parse(line, "a line of the metrics");
    const Json* step = json.find("step");
    if (step && step->is_integer()) return json;
  } catch (const Error&) {  // cut off
  }
  return {};
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code none;
  return fs::absolute(path, none).lexically_normal().string();
}

RunFolder::RunFolder(const std::string& path) : path_(path) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  HEED_CHECK(!path_.empty(), "run", "the name of the run folder is empty; give one, such as runs/mine");
}

bool RunFolder::exists() const { return is_file(file("config.json")); }

bool RunFolder::begun() const {
  std::error_code none;
  return exists() || is_file(file("metrics.jsonl")) || fs::is_directory(file("checkpoints"), none);
}

std::string RunFolder::move_aside() const {
  for (long number = 1;; number++) {
    const std::string other = path_ + "-" + std::to_string(number);
    if (fs::exists(fs::symlink_status(other))) continue;
    std::error_code error;
    fs::rename(path_, other, error);
    HEED_CHECK(!error, "run", "cannot rename ", path_, " to ", other, ": ", error.message(),
               "; choose another folder for the new run");
    return other;
  }
}

void RunFolder::write_config(const Json& settings, const std::string& data_path) const {
  Json all = settings;
  if (!data_path.empty()) all[kDataPath] = data_path;
  write_file(file("config.json"), all.dump(2) + "\n");
}

Json RunFolder::config() const {
  const Json all = whole_config(*this);
  Json settings = Json::object();
  for (const auto& [name, value] : all.members())
    if (name != kDataPath) settings[name] = value;
  return settings;
}

std::string RunFolder::data() const {
  const Json all = whole_config(*this);
  const std::string given = all.at("data").text();
  const Json* lay = all.find(kDataPath);
  if (!lay || !lay->is_text()) return given;
  std::error_code none;
  const bool moved =
      !fs::exists(lay->text(), none) && fs::exists(given, none);  // with the folder that it is named from
  return moved || absolute_path(given) == lay->text() ? given : lay->text();
}

std::optional<Json> RunFolder::intact_config() const {
  try {
    return config();
  } catch (const Error&) {
    return {};
  }
}

void RunFolder::log(const Json& line) const { append_to_file(file("metrics.jsonl"), line.dump() + "\n"); }

std::vector<Json> RunFolder::metrics() const {
  std::vector<Json> lines;
  if (!is_file(file("metrics.jsonl"))) return lines;
  const std::string text = text_of(file("metrics.jsonl"));
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (auto line = metric(std::string_view(text).substr(begin, end - begin))) lines.push_back(std::move(*line));
  return lines;
}

void RunFolder::forget_after(long step) const {
  std::string kept;
  for (const Json& line : metrics())
    if (line.at("step").integer() <= step) kept += line.dump() + "\n";
  write_file(file("metrics.jsonl"), kept);
  for (const char* ending : {".txt", ".wav", ".png"})
    for (const auto& [of, name] : sample_files(*this, ending))
      if (of > step) fs::remove(file(name));
}

std::optional<Json> RunFolder::last_line(const std::string& name) const { return last_line_of(metrics(), name); }

std::optional<double> RunFolder::last(const std::string& name) const {
  const std::optional<Json> line = last_line(name);
  return line ? std::optional(line->at(name).number()) : std::nullopt;
}

std::optional<Json> last_line_of(const std::vector<Json>& metrics, const std::string& name) {
  for (auto line = metrics.rbegin(); line != metrics.rend(); ++line)
    if (const Json* value = line->find(name); value && value->is_number()) return *line;
  return {};
}

std::vector<Point> RunFolder::curve(const std::string& x, const std::string& y) const {
  return curve_of(metrics(), x, y);
}

std::vector<Point> curve_of(const std::vector<Json>& metrics, const std::string& x, const std::string& y) {
  std::vector<Point> points;
  for (const Json& line : metrics) {
    const Json *a = line.find(x), *b = line.find(y);
    if (a && b && a->is_number() && b->is_number()) points.push_back({a->number(), b->number()});
  }
  return points;
}

void RunFolder::write_sample(long step, const std::string& text) const {
  write_file(file(sample_name(step, ".txt")), text);
}

std::vector<std::pair<long, std::string>> RunFolder::samples() const {
  auto list = sample_files(*this, ".txt");
  for (auto& [step, text] : list) text = text_of(file(text));
  return list;
}

std::string RunFolder::sound_path(long step) const { return file(sample_name(step, ".wav")); }

std::vector<std::pair<long, std::string>> RunFolder::sounds() const { return sample_files(*this, ".wav"); }

std::string RunFolder::picture_path(long step) const { return file(sample_name(step, ".png")); }

std::vector<std::pair<long, std::string>> RunFolder::pictures() const { return sample_files(*this, ".png"); }

RunLock::RunLock(const RunFolder& run) : folder_(::open(run.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  HEED_CHECK(folder_ >= 0, "run", "cannot lock ", run.path(), ": ", std::strerror(errno),
             "; without a lock another process might train there, too. You need the right to read the folder");
  if (::flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(folder_);
  fail("run", "another process trains in ", run.path(), " now; wait for it, or choose another folder");
}

RunLock::~RunLock() { ::close(folder_); }

std::vector<Point> thinned(const std::vector<Point>& points, size_t count) {
  const size_t each = (points.size() + count - 1) / std::max<size_t>(count, 1);
  if (each <= 1) return points;
  std::vector<Point> list;
  for (size_t i = 0; i < points.size(); i += each) {
    const size_t end = std::min(points.size(), i + each);
    Point mean;
    for (size_t j = i; j < end; j++) {
      mean.x += points[j].x;
      mean.y += points[j].y;
    }
    list.push_back({mean.x / double(end - i), mean.y / double(end - i)});
  }
  return list;
}

}  // namespace heed
