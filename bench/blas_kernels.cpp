// `build/bench blas-kernels`: are our products as good as the best that OpenBLAS can be made to do by hand? Every side
// is a process of its own: ourselves with nothing set (large products run on our own kernel, where it is as wide as
// OpenBLAS's), ourselves with OPENBLAS_CORETYPE set to each name this CPU can run (then OpenBLAS does them all, cut for
// our threads), and OpenBLAS with its own threads and the first of these names.
#include <cblas.h>

#include <algorithm>
#include <iostream>
#include <numeric>

#include "bench/kernels.h"
#include "bench/run.h"
#include "system/error.h"
#include "system/parallel.h"
#include "tensor/cpu/products/blas.h"
#include "tensor/create.h"
#include "tensor/random.h"

extern "C" [[gnu::weak]] void openblas_set_num_threads(int count);

namespace heed::bench {
namespace {

const char* const kOurs = "products, forward";

// What this CPU can run, widest vectors first; those that are far behind are left out.
std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const std::string& name : blas_kernel_names())
    if (blas_kernel_rank(name) + 1 >= cpu_kernel_rank()) names.insert(names.begin(), name);
  return names;
}

// OpenBLAS as it comes, on its own threads. Only in a process that does nothing else: the number of threads stays.
Action own_threads(long n) {
  const Tensor a = randn({n, n}, 1), b = randn({n, n}, 2), c = zeros({n, n});
  if (openblas_set_num_threads) openblas_set_num_threads(threads());
  return [=, size = int(n)] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a.data<float>(), size, b.data<float>(),
                size, 0, c.mutable_data<float>(), size);
  };
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const long n : {512, 768, 1024, 1536, 2048, 3072, 4096}) {
    Case work = product_case(n, n, n);
    work.group = kOurs;
    work.bar = {.ratio = 0.95};
    list.push_back(work);
    work.group = "what OpenBLAS does with its own threads, measured beside them";
    work.request = request("sgemm", {n, n, n});
    work.make = [n] { return own_threads(n); };
    list.push_back(work);
  }
  std::stable_sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.group == kOurs && b.group != kOurs; });
  return list;
}

// One process and how it is asked for a product of two n x n matrices.
struct Rival {
  std::unique_ptr<Worker> worker;
  std::string verb;
};

Rival rival(const std::string& name, const std::string& verb, const Settings& s, std::vector<std::string> environment) {
  const std::string threads = std::to_string(s.threads);
  environment.push_back("OMP_NUM_THREADS=" + threads);
  environment.push_back("OPENBLAS_NUM_THREADS=" + threads);
  // Its idle threads would spin for 2^26 cycles, and in everybody else's turn.
  environment.push_back("OPENBLAS_THREAD_TIMEOUT=20");
  Rival made{std::make_unique<Worker>(name, std::vector{own_program(), std::string("--serve"), threads}, environment),
             verb};
  return made;
}

// Ours first. One that cannot run is left away with a sentence.
std::vector<Rival> open_rivals(const Settings& s) {
  std::vector<Rival> rivals;
  const auto open = [&](const std::string& name, const char* verb, const std::string& kernels) {
    try {
      Rival next = rival(name, verb, s,
                         kernels.empty() ? std::vector<std::string>{} : std::vector{"OPENBLAS_CORETYPE=" + kernels});
      const std::string probe = next.worker->ask("probe");
      if (probe.find(kernels) == std::string::npos)
        throw WorkerError(kernels + " was asked for, and this runs: " + probe);
      rivals.push_back(std::move(next));
    } catch (const WorkerError& error) {
      std::cerr << error.what() << "; going on without it\n";
    }
  };
  open("ours", "matmul", "");
  const std::vector<std::string> names = kernel_names();
  for (const std::string& name : names) open(name, "matmul", name);
  if (!names.empty()) open(names[0] + " on OpenBLAS's threads", "sgemm", names[0]);
  return rivals;
}

// Ours against whoever is the fastest of the others, by its median.
Result measure(const Case& work, std::vector<Rival>& rivals, double seconds) {
  const Transient line("measuring " + work.name + " ...");
  std::vector<Side> sides;
  for (Rival& rival : rivals) {
    const std::string reason = rival.worker->prepare(rival.verb + work.request.substr(work.request.find(' ')));
    if (!reason.empty()) throw WorkerError(rival.worker->name() + ": " + reason);
    sides.push_back(rival.worker->side());
  }
  const auto turns = take_turns(sides, seconds);
  size_t best = 1;
  std::string all;
  for (size_t i = 1; i < turns.size(); i++) {
    if (quartiles(turns[i]).middle < quartiles(turns[best]).middle) best = i;
    all += (i > 1 ? ", " : "") + rivals[i].worker->name() + " " +
           three_digits(work.amount / quartiles(turns[i]).middle * 1e-9);
  }
  Result result = result_of(work, {turns[0], turns[best]});
  result.note = all;
  return result;
}

int run_blas_kernels(const Benchmark& benchmark, const Settings& settings) {
  std::vector<Case> list = chosen_cases(benchmark, settings);
  std::erase_if(list, [](const Case& work) { return work.group != kOurs; });
  std::vector<Rival> rivals = open_rivals(settings);
  HEED_CHECK(rivals.size() > 1, "blas-kernels",
             "there is nobody to compare with: OPENBLAS_CORETYPE has no names for this CPU");
  Report report = start_report(settings, "the best of OpenBLAS's kernels for this CPU, forced by hand");
  report.peer_name = "best forced";
  Table table(report, settings, [&] {
    return std::accumulate(rivals.begin(), rivals.end(), 0.0,
                           [](double sum, const Rival& rival) { return sum + rival.worker->cpu_seconds(); });
  });
  for (const Case& work : list) table.add(measure(work, rivals, settings.seconds));
  table.finish();
  return 0;
}

const RegisteredBenchmark blas_kernels{
    {"blas-kernels", "Products with the kernels that were chosen, against every choice forced by hand.", cases,
     run_blas_kernels}};

}  // namespace
}  // namespace heed::bench
