// charlm compare: the validation curves of several runs in one chart, and a table of what they reached, what they cost
// and what differs between them.
#include <algorithm>
#include <cstdio>

#include "demos/charlm/charlm.h"
#include "show/page.h"
#include "system/error.h"
#include "system/write_file.h"
#include "train/run_comparison.h"
#include "train/run_page.h"

using namespace heed;

int compare_command(int argc, char** argv) {
  std::vector<std::string> paths;
  std::string out = "runs/compare", x = "step";
  CommandLine line(
      "charlm compare",
      "Puts the validation curves of several runs into one chart, and what differs between them into a table. Runs\n"
      "that differ in their seed only are a group, with its mean and standard deviation (sd).");
  line.words("RUN", paths, "run folders");
  line.option("--out", out, "the chart, without its ending: PNG, SVG and a page are written");
  line.option("--axis", x, "the x axis", {"step", "seconds"});
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(!paths.empty(), "compare", "no run was given; give run folders, such as runs/full runs/window");
  std::vector<RunFolder> runs;
  std::vector<RunSummary> summaries;
  for (const std::string& path : paths) {
    runs.emplace_back(path);
    summaries.push_back(summary_of(runs.back(), facts_of(runs.back())));  // throws if it is no run
  }
  const Comparison all(summaries);
  std::printf("%s", all.text().c_str());
  for (const RunSummary& run : summaries)
    if (!std::isfinite(run.last)) std::printf("%s has no validation yet\n", run.path.c_str());
  const Chart chart = comparison(runs, x);
  draw_chart(chart).write_png(out + ".png");
  write_file(out + ".svg", chart_svg(chart));
  Page page("Runs compared");
  page.svg(chart_svg(chart));
  page.table(all.rows(), all.head());
  write_file(out + ".html", page.html());
  std::printf("the chart is %s.png, the page is %s.html\n", out.c_str(), out.c_str());
  return 0;
}
