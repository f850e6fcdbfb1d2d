// The frame around the measurements: who takes part, the table as it grows, the files at the end.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "bench/run.h"
#include "system/progress.h"
#include "system/write_file.h"
#include "tensor/machine.h"

namespace heed::bench {
namespace {

namespace fs = std::filesystem;

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.find(": ") + 2, line.size()));
  return "a CPU without a name";
}

std::vector<std::string> peer_command(const Settings& s) {
  const std::string threads = std::to_string(s.threads);
  if (!is_python(s.peer)) return {s.peer, "--serve", threads};
  const std::string script = peer_script(s);
  if (!fs::exists(script)) throw WorkerError(script + " is not there; --peer-script names another");
  return {s.peer, script, threads};
}

std::string command_text(const Settings& s) {
  std::ostringstream text;
  text << "build/bench " << s.benchmark << " --threads " << s.threads << " --seconds " << s.seconds;
  if (!s.peer.empty()) text << (is_python(s.peer) ? " --peer PYTHON" : " --peer BENCH");
  if (!s.data.empty()) text << " --data " << fs::path(s.data).filename().string();
  if (!s.only.empty()) text << " --only '" << s.only << "'";
  return text.str();
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Processor time that this machine has spent at work, for any program.
double machine_seconds() {
  std::ifstream file("/proc/stat");  // cpu user nice system idle iowait irq softirq steal
  std::string word;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  file >> word >> user >> nice >> system >> idle >> wait >> irq >> soft >> steal;
  return (user + nice + system + irq + soft + steal) / double(sysconf(_SC_CLK_TCK));
}

double used_by(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string own_program() { return fs::read_symlink("/proc/self/exe").string(); }

// A folder above or a file name may look like python; a link to python does not have to: `python`, `python3.11`,
// `pypy`.
bool is_python(const std::string& program) { return fs::path(program).filename().string().starts_with("py"); }

std::string peer_script(const Settings& s) {
  if (!s.peer_script.empty()) return s.peer_script;
  return (fs::path(own_program()).parent_path().parent_path() / "bench" / "peer.py").string();
}

std::unique_ptr<Worker> open_peer(const Settings& s) {
  if (s.peer.empty()) return nullptr;
  const std::string threads = std::to_string(s.threads);
  try {
    return std::make_unique<Worker>("the peer", peer_command(s),
                                    std::vector{"OMP_NUM_THREADS=" + threads, "MKL_NUM_THREADS=" + threads});
  } catch (const WorkerError& error) {
    std::cerr << error.what() << "; going on without it\n";
    return nullptr;
  }
}

Report start_report(const Settings& s, const std::string& peer) {
  for (const std::string& file : {s.json, s.svg, s.markdown})
    if (!file.empty()) check_writable(file);
  return {.benchmark = s.benchmark,
          .command = command_text(s),
          .machine = cpu_name() + ", " + machine_description(),
          .peer = peer,
          .peer_name = peer.substr(0, peer.find_first_of(" ,"))};
}

Table::Table(Report& report, const Settings& settings, std::function<double()> workers)
    : report_(report),
      settings_(settings),
      workers_(std::move(workers)),
      others_before_(others_seconds()),
      start_(now()) {
  std::printf("ours   %s\n", report.machine.c_str());
  if (report.peer.empty() && !settings.peer.empty())
    std::printf("peer   none: it did not start\n");
  else if (report.peer.empty())
    std::printf("peer   none: `make peer` fetches PyTorch once, then `make bench` measures it, too\n");
  else
    std::printf("peer   %s\n", report.peer.c_str());
  std::printf("f32; medians of turns that the sides take; ratio: the peer's time over ours\n\n%s\n",
              table_head(report).c_str());
}

void Table::add(const Result& result) {
  if (report_.results.empty() || report_.results.back().work.group != result.work.group)
    std::printf("\n%s\n", result.work.group.c_str());
  print_line(table_line(result));
  report_.results.push_back(result);
}

double Table::others_seconds() const {
  return machine_seconds() - used_by(RUSAGE_SELF) - used_by(RUSAGE_CHILDREN) - workers_();
}

void Table::finish() {
  const Settings& s = settings_;
  if (machine_seconds() > 0) report_.others = std::max(0.0, (others_seconds() - others_before_) / (now() - start_));
  std::printf("\n%s\n", summary(report_).c_str());
  write_report(s.json, json(report_));
  write_report(s.svg, svg(report_));
  write_markdown(s, markdown(report_));
}

void write_report(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  write_file(path, text);
  std::printf("written: %s\n", path.c_str());
}

void write_markdown(const Settings& s, const std::string& text) {
  if (!s.markdown.empty())
    write_report(s.markdown, replaced_between(content_of(s.markdown), "bench " + s.benchmark, text));
}

Transient::Transient(const std::string& text) {
  if (isatty(2)) std::cerr << text << std::flush;
}

Transient::~Transient() {
  if (isatty(2)) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace heed::bench
