#include "train/run_comparison.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "system/progress.h"
#include "system/text.h"

namespace heed {
namespace {

// Whoever trains in a folder has a lock on it (RunLock). The kernel lists them, so that nobody has to try.
bool is_locked(const std::string& folder) {
  struct stat about = {};
  if (::stat(folder.c_str(), &about) != 0) return false;
  const std::string inode = ":" + std::to_string(about.st_ino) + " ";
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);)
    if (line.find("FLOCK") != std::string::npos && line.find(inode) != std::string::npos) return true;
  return false;
}

// What two settings must have in common to be of one group: all but the seed, and which heed wrote them.
Json deciding(const Json& settings) {
  Json rest = Json::object();
  for (const auto& [name, value] : settings.members())
    if (name != "seed" && name != "version") rest[name] = value;
  return rest;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return std::sqrt(sum / double(values.size() - 1));
}

std::vector<double> all_of(const std::vector<RunSummary>& runs, double RunSummary::*value) {
  std::vector<double> values;
  for (const RunSummary& run : runs)
    if (std::isfinite(run.*value)) values.push_back(run.*value);
  return values;
}

double mean_best(const std::vector<RunSummary>& runs) {
  const std::vector<double> values = all_of(runs, &RunSummary::best);
  return values.empty() ? NAN : mean_of(values);
}

bool comes_first(double a, double b, const Score& score) {
  if (!std::isfinite(a) || !std::isfinite(b)) return std::isfinite(a) && !std::isfinite(b);
  return score.better(a, b);
}

std::string number_text(double value, const char* pattern) {
  return std::isfinite(value) ? format(pattern, value) : "-";
}

std::string mean_text(const std::vector<double>& values) {
  if (values.empty()) return "-";
  return format("%.4f", mean_of(values)) + (values.size() > 1 ? format(" sd %.4f", deviation_of(values)) : "");
}

std::string known_text(double value, const char* pattern) { return value > 0 ? format(pattern, value) : "-"; }

std::vector<std::string> row_of(const RunSummary& run, const std::string& name, const std::string& differs) {
  return {name,
          number_text(run.last, "%.4f"),
          number_text(run.best, "%.4f"),
          std::to_string(run.step),
          duration_text(run.seconds),
          known_text(run.tokens_per_s, "%.0f"),
          known_text(run.peak_bytes / 1e6, "%.0f MB"),
          format("%.2f M", double(run.parameters) / 1e6),
          differs};
}

// The names of settings in which some of the runs differ.
std::vector<std::string> differing(const std::vector<RunSummary>& runs) {
  std::vector<std::string> names;
  for (const RunSummary& run : runs) {
    const Json settings = deciding(run.settings);
    for (const auto& [name, value] : settings.members()) {
      const auto differs = [&, name = name, value = value](const RunSummary& other) {
        const Json* its = other.settings.find(name);
        return !its || !(*its == value);
      };
      if (std::find(names.begin(), names.end(), name) == names.end() && std::any_of(runs.begin(), runs.end(), differs))
        names.push_back(name);
    }
  }
  return names;
}

std::string differs_text(const Json& settings, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names)
    if (const Json* value = settings.find(name)) {
      const std::string text = value->is_text() ? value->text() : value->dump();
      texts.push_back(name + "=" + (text.empty() ? "(none)" : text));
    }
  return joined(texts, " ");
}

}  // namespace

std::string RunSummary::state() const {
  const std::string where = "step " + std::to_string(step) + " of " + std::to_string(last_step);
  if (running) return "running, " + where;
  if (step == 0) return "not begun";
  return step >= last_step ? "done" : "stopped at " + where;
}

RunSummary summary_of(const RunFolder& run, const RunFacts& facts) {
  RunSummary s{.path = run.path(),
               .settings = facts.settings,
               .parameters = facts.parameters,
               .last_step = facts.last_step,
               .running = is_locked(run.path())};
  const std::vector<Json> metrics = run.metrics();
  for (const Point& p : curve_of(metrics, "step", facts.score.valid())) {
    if (!std::isfinite(s.best) || facts.score.better(p.y, s.best)) s.best = p.y;
    s.last = p.y;
  }
  for (const Point& p : curve_of(metrics, "step", "seconds")) s.step = long(p.x), s.seconds = p.y;
  for (const Point& p : curve_of(metrics, "step", "peak_bytes")) s.peak_bytes = std::max(s.peak_bytes, p.y);
  const std::vector<Point> speed = curve_of(metrics, "step", "tokens_per_s");
  for (const Point& p : speed) s.tokens_per_s += p.y / double(speed.size());
  return s;
}

Comparison::Comparison(std::vector<RunSummary> runs, const Score& score) : score_(score) {
  const auto better = [&](const RunSummary& a, const RunSummary& b) { return comes_first(a.best, b.best, score_); };
  std::stable_sort(runs.begin(), runs.end(), better);
  const std::vector<std::string> names = differing(runs);
  for (const RunSummary& run : runs) {
    const auto same = [&](const Group& group) { return deciding(group.runs[0].settings) == deciding(run.settings); };
    const auto found = std::find_if(groups_.begin(), groups_.end(), same);
    found == groups_.end() ? groups_.push_back({{run}, differs_text(run.settings, names)}) : found->runs.push_back(run);
  }
  std::stable_sort(groups_.begin(), groups_.end(), [&](const Group& a, const Group& b) {
    return comes_first(mean_best(a.runs), mean_best(b.runs), score_);
  });
}

std::vector<std::string> Comparison::head() const {
  return {"run",     "last " + score_.name, "best " + score_.name, "step", "training", "tokens/s", "memory",
          "weights", "what differs"};
}

Page::Rows Comparison::rows() const {
  Page::Rows rows;
  for (const Group& group : groups_) {
    const bool several = group.runs.size() > 1;
    if (several)
      rows.push_back({std::to_string(group.runs.size()) + " seeds", mean_text(all_of(group.runs, &RunSummary::last)),
                      mean_text(all_of(group.runs, &RunSummary::best)), "", "", "", "", "", group.differs});
    for (const RunSummary& run : group.runs) {
      const Json* seed = run.settings.find("seed");
      rows.push_back(row_of(run, (several ? "  " : "") + run.path,
                            several ? "seed " + (seed ? seed->dump() : "?") : group.differs));
    }
  }
  return rows;
}

std::string Comparison::text() const {
  Page::Rows all = rows();
  all.insert(all.begin(), head());
  return columns_text(all);
}

std::string columns_text(const Page::Rows& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); i++) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); i++) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (i == 0 || i + 1 == row.size() ? row[i] + blanks : blanks + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace heed
