// charlm runs: all runs of a folder with their state.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/text.h"
#include "train/run_comparison.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

constexpr int kDeepest = 3;  // folders of runs may be in folders: runs/orderings/sandwich-1-seed-1

// The run folders below a folder, by name.
std::vector<std::string> runs_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code none;
  for (auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, none);
       entry != fs::recursive_directory_iterator(); entry.increment(none)) {
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    if (!entry->is_directory(none) || !RunFolder(entry->path().string()).exists()) continue;
    found.push_back(entry->path().string());
    entry.disable_recursion_pending();
  }
  std::sort(found.begin(), found.end());
  return found;
}

// {run, state, validation, weights, what it learns}; a run of another program says only what it is.
std::vector<std::string> row_of(const std::string& path) {
  const RunFolder run(path);
  try {
    const RunSummary s = summary_of(run, facts_of(run));
    return {path, s.state(), std::isfinite(s.last) ? format("%.4f", s.last) : "-",
            format("%.2f M", double(s.parameters) / 1e6), run.data()};
  } catch (const Error&) {
    return {path, "no run of charlm", "", "", ""};
  }
}

}  // namespace

int runs_command(int argc, char** argv) {
  std::vector<std::string> folders;
  CommandLine line("charlm runs", "Lists the runs below a folder: how far each is, and what it learns.");
  line.words("FOLDER", folders, "where to look (runs)");
  if (!line.parse(argc, argv)) return line.exit_code();
  if (folders.empty()) folders = {"runs"};
  Page::Rows rows = {{"run", "state", "valid_bpc", "weights", "learns"}};
  for (const std::string& folder : folders) {
    HEED_CHECK(fs::is_directory(folder), "runs", "there is no folder ", folder,
               "; `build/charlm train --run runs/mine` makes one, or name another");
    if (RunFolder(folder).exists()) rows.push_back(row_of(folder));
    for (const std::string& path : runs_below(folder)) rows.push_back(row_of(path));
  }
  rows.size() > 1 ? std::printf("%s", columns_text(rows).c_str())
                  : std::printf("there is no run in %s\n", joined(folders, ", ").c_str());
  return 0;
}
