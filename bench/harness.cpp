#include "bench/harness.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <sstream>
#include <utility>

#include "bench/machine.h"
#include "system/error.h"
#include "system/parallel.h"
#include "tensor/machine.h"

namespace heed::bench {
namespace {

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double timed(const Action& action, long repetitions) {
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < repetitions; i++) action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Action prepared(const std::string& request) {
  const auto find = [&](const std::vector<Case>& cases) {
    return std::find_if(cases.begin(), cases.end(), [&](const Case& work) { return work.request == request; });
  };
  const std::vector<Case> machine = machine_cases();
  if (const auto found = find(machine); found != machine.end()) return found->make();
  for (const Benchmark* benchmark : all_benchmarks.all()) {
    const std::vector<Case> cases = benchmark->cases();
    if (const auto found = find(cases); found != cases.end()) return found->make();
  }
  fail("serve", "no benchmark has the work \"", request, "\"");
}

std::string answer(const std::string& line, Action& action) {
  std::istringstream words(line);
  std::string verb, rest;
  words >> verb >> std::ws;
  std::getline(words, rest);
  if (verb == "probe") return machine_description();
  if (verb == "work") {
    action = nullptr;  // frees the tensors of the work before
    action = prepared(rest);
    timed(action, 3);
    return "ok";
  }
  HEED_CHECK(verb == "time" && action, "serve", "\"", line, "\" is not probe, work or time, or comes before work");
  std::ostringstream text;
  text.precision(9);
  text << timed(action, std::stol(rest));
  return text.str();
}

}  // namespace

std::vector<Case> chosen_cases(const Benchmark& benchmark, const Settings& settings) {
  std::vector<Case> cases = benchmark.cases();
  std::erase_if(cases, [&](const Case& work) { return work.name.find(settings.only) == std::string::npos; });
  HEED_CHECK(!cases.empty(), benchmark.name.c_str(), "no case has \"", settings.only,
             "\" in its name; --list shows them all");
  return cases;
}

Side own_side(const Action& action) {
  return {[action](long repetitions) { return timed(action, repetitions); }, process_seconds};
}

Result result_of(const Case& work, const std::vector<std::vector<double>>& turns) {
  Result result;
  result.work = work;
  result.work.make = nullptr;
  result.ours = quartiles(turns[0]);
  result.best = *std::min_element(turns[0].begin(), turns[0].end());
  if (turns.size() > 1) {
    result.peer = quartiles(turns[1]);
    result.ratio = quartiles(pairwise_ratios(turns[1], turns[0]));
  }
  return result;
}

int serve(int threads) {
  set_threads(threads);
  Action action;
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(line, action) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "no " << error.what() << std::endl;
    }
  }
  return 0;
}

}  // namespace heed::bench
