// What benchmarks with a table of their own share with run_cases.
#pragma once

#include <memory>

#include "bench/report.h"
#include "bench/worker.h"

namespace heed::bench {

std::string own_program();                                    // the path of the program that runs
bool is_python(const std::string& program);                   // or another build of heed, by the name of the file
std::string peer_script(const Settings& settings);            // what a python runs: bench/peer.py, or another
std::unique_ptr<Worker> open_peer(const Settings& settings);  // null, and a sentence, if there is none

Report start_report(const Settings& settings, const std::string& peer);

// Writes a file that was asked for (an empty path: it was not), and says so.
void write_report(const std::string& path, const std::string& text);
// Puts the text between the marks of this benchmark in settings.markdown.
void write_markdown(const Settings& settings, const std::string& text);

// Prints results as they come, with a line for every new group.
class Table {
 public:
  // Prints what is measured, and the head. `workers`: processor seconds of the workers that are alive.
  Table(Report& report, const Settings& settings, std::function<double()> workers);
  void add(const Result& result);
  void finish();  // the summary, and the files that are asked for

 private:
  double others_seconds() const;  // processor time of all other programs, since the start of the machine

  Report& report_;
  const Settings& settings_;
  std::function<double()> workers_;
  double others_before_, start_;
};

// While one lives, a terminal shows this line; nothing elsewhere.
class Transient {
 public:
  explicit Transient(const std::string& text);
  ~Transient();
  Transient(const Transient&) = delete;
  Transient& operator=(const Transient&) = delete;
};

}  // namespace heed::bench
