#include "tensor/parallel.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

#include "tensor/error.h"

namespace heed {
namespace {

constexpr int kMaxThreads = 64;  // OpenBLAS fails beyond 128 callers; we stay well below

// cgroup v2: "max 100000" or "150000 100000" (quota and period in microseconds).
int quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return kMaxThreads;
  return std::max(1, int(std::stod(quota) / period + 0.5));
}

int default_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : omp_get_num_procs();
  return std::clamp(std::min(cores, quota_cores()), 1, kMaxThreads);
}

std::atomic<int>& count() {
  static std::atomic<int> value = default_threads();
  return value;
}

}  // namespace

int threads() { return count(); }

void set_threads(int wanted) {
  HEED_CHECK(wanted >= 1 && wanted <= kMaxThreads, "set_threads", wanted, " threads wanted; the rule is 1 to ",
             kMaxThreads, ". This machine serves ", default_threads(), " at a time");
  count() = wanted;
}

void parallel_for(long n, long grain, FunctionRef<void(long, long)> f) {
  if (n <= 0) return;
  grain = std::max(grain, 1L);
  const long pieces = (n - 1) / grain + 1;
  auto run = [&](long p) { f(p * grain, p * grain + std::min(grain, n - p * grain)); };
  int team = int(std::min<long>(threads(), pieces));
  if (team == 1 || omp_in_parallel()) {
    for (long p = 0; p < pieces; p++) run(p);
    return;
  }
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
  for (long p = 0; p < pieces; p++) run(p);
}

}  // namespace heed
