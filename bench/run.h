// What benchmarks with a table of their own share with run_cases.
#pragma once

#include <memory>

#include "bench/report.h"
#include "bench/worker.h"

namespace heed::bench {

std::string own_program();                                    // the path of the program that runs
std::unique_ptr<Worker> open_peer(const Settings& settings);  // null, and a sentence, if there is none

Report start_report(const Settings& settings, const std::string& peer);

// Prints results as they come, with a line for every new group.
class Table {
 public:
  explicit Table(Report& report);  // prints what is measured, and the head
  void add(const Result& result);
  void finish(const Settings& settings);  // the summary, and the files that are asked for

 private:
  Report& report_;
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
