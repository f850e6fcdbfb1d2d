// build/bench: measures heed on this machine, and PyTorch beside it. See bench/README.md.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "bench/harness.h"
#include "system/command_line.h"
#include "system/parallel.h"

using namespace heed;
using namespace heed::bench;

namespace {

void declare(CommandLine& line, Settings& s) {
  line.word("benchmark", s.benchmark, "what to measure", all_benchmarks.names());
  line.option("--seconds", s.seconds, "how long each case is measured", 0.01, 600);
  line.option("--peer", s.peer, "a python that has PyTorch, or another build of this program");
  line.option("--peer-script", s.peer_script, "what that python runs instead of bench/peer.py");
  line.option("--only", s.only, "cases with this in their name");
  line.option("--data", s.data, "learning, zoo: a text, 90% of which is learned and 5% is validated");
  line.flag("--list", s.list, "show the cases and measure nothing");
  line.option("--json", s.json, "a file for all figures");
  line.option("--svg", s.svg, "a file for a picture");
  line.option("--markdown", s.markdown, "a file for the table; replaces it between the marks in bench/README.md");
}

int list(const Benchmark& benchmark, const Settings& s) {
  std::printf("%s\n", benchmark.about.c_str());
  std::string group;
  for (const Case& work : chosen_cases(benchmark, s)) {
    if (work.group != group) std::printf("\n%s\n", work.group.c_str());
    group = work.group;
    std::printf("  %s\n", work.name.c_str());
  }
  return 0;
}

int body(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--serve") == 0) return serve(std::atoi(argv[2]));  // see bench/worker.h
  Settings s;
  set_threads(std::min(2, threads()));  // what --threads has by default, for each side
  CommandLine line("bench", "Measures heed on this machine, and PyTorch beside it.");
  declare(line, s);
  if (!line.parse(argc, argv)) return line.exit_code();
  s.threads = threads();
  const Benchmark& benchmark = all_benchmarks.find(s.benchmark);
  return s.list ? list(benchmark, s) : benchmark.run(benchmark, s);
}

}  // namespace

int main(int argc, char** argv) { return heed::run("bench", body, argc, argv); }
