// The validation curves of several runs in one chart, and a page with the chart and the numbers.
#include <cmath>
#include <cstdio>

#include "demos/charlm/charlm.h"
#include "show/page.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/text.h"
#include "system/write_file.h"
#include "train/run_page.h"

using namespace heed;

namespace {

// The lowest and the last validation of a run.
struct Summary {
  double best = HUGE_VAL, last = NAN, step = 0, seconds = 0;
};

Summary summary_of(const RunFolder& run) {
  Summary s;
  for (const Point& p : run.curve("step", "valid_bpc")) s.best = std::min(s.best, p.y), s.last = p.y, s.step = p.x;
  for (const Point& p : run.curve("seconds", "valid_bpc")) s.seconds = p.x;
  HEED_CHECK(s.step > 0, "compare", run.path(), " has no validation yet: train it longer, or leave it out");
  return s;
}

}  // namespace

int compare_command(int argc, char** argv) {
  std::vector<std::string> paths;
  std::string out = "runs/compare", x = "step";
  CommandLine line("charlm compare", "Puts the validation curves of several runs into one chart.");
  line.words("RUN", paths, "run folders");
  line.option("--out", out, "the chart, without its ending: PNG, SVG and a page are written");
  line.option("--axis", x, "the x axis", {"step", "seconds"});
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(!paths.empty(), "compare", "no run was given; give run folders, such as runs/full runs/window");
  std::vector<RunFolder> runs;
  Page::Rows rows;
  std::printf("%-32s %10s %10s %8s %12s\n", "run", "last bpc", "best bpc", "step", "training");
  for (const std::string& path : paths) {
    runs.emplace_back(path);
    runs.back().config();  // throws if it is no run
    const Summary s = summary_of(runs.back());
    std::printf("%-32s %10.4f %10.4f %8.0f %12s\n", path.c_str(), s.last, s.best, s.step,
                duration_text(s.seconds).c_str());
    rows.push_back(
        {path, format("%.4f", s.last), format("%.4f", s.best), format("%.0f", s.step), duration_text(s.seconds)});
  }
  const Chart chart = comparison(runs, x);
  draw_chart(chart).write_png(out + ".png");
  write_file(out + ".svg", chart_svg(chart));
  Page page("Runs compared");
  page.svg(chart_svg(chart));
  page.table(rows, {"run", "last bpc", "best bpc", "step", "training"});
  write_file(out + ".html", page.html());
  std::printf("the chart is %s.png, the page is %s.html\n", out.c_str(), out.c_str());
  return 0;
}
