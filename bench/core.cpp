// How fast the core is here: products in GFLOP/s, memory-bound ops in GB/s, against a plain copy of the same size.
// Every figure is the median of many runs; the spread tells how quiet the machine was.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tensor/adamw.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/cross_entropy.h"
#include "tensor/elementwise.h"
#include "tensor/embedding.h"
#include "tensor/machine.h"
#include "tensor/matmul.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/reduce.h"
#include "tensor/softmax.h"
#include "tensor/views.h"
#include "train/command_line.h"

using namespace heed;

namespace {

struct Settings {
  double seconds = 0.3;  // per row
  int threads = heed::threads();
};

struct Row {
  std::string name;
  double amount;     // floating-point operations, or bytes read and written
  const char* unit;  // "GFLOP/s" or "GB/s"
  std::function<void()> work;
};

struct Times {
  double median, low, high;  // seconds; low and high are the quartiles
};

Times measure(const std::function<void()>& work, double seconds) {
  using Clock = std::chrono::steady_clock;
  work();  // warm: memory is mapped, caches are filled
  std::vector<double> all;
  const auto start = Clock::now();
  while (all.size() < 5 || std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    const auto begin = Clock::now();
    work();
    all.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all[all.size() / 4], all[all.size() * 3 / 4]};
}

Row product(long M, long N, long K) {
  Tensor a = randn({M, K}, 1), b = randn({N, K}, 2);
  return {"matmul " + std::to_string(M) + " x " + std::to_string(N) + " x " + std::to_string(K),
          2.0 * double(M) * double(N) * double(K), "GFLOP/s", [=] { matmul(a, transpose(b)); }};
}

std::vector<Row> rows() {
  const long T = 4096, C = 1024, n = T * C;
  const double bytes = 4.0 * double(n);
  Tensor x = randn({T, C}, 1), y = randn({T, C}, 2), bias = randn({C}, 3), table = randn({256, C}, 4);
  Tensor ids = cast(uniform({T}, {.seed = 5}, 0, 255.9), i64), p = softmax(x), m = zeros({T, C}), v = zeros({T, C});
  return {
      product(512, 512, 512),
      product(4096, 1024, 256),
      product(4096, 256, 1024),
      product(1023, 1031, 1021),
      product(2048, 2048, 2048),
      {"copy", 2 * bytes, "GB/s", [=] { clone(x); }},
      {"add", 3 * bytes, "GB/s", [=] { add(x, y); }},
      {"add a bias", 2 * bytes, "GB/s", [=] { add(x, bias); }},
      {"transposed copy", 2 * bytes, "GB/s", [=] { contiguous(transpose(x)); }},
      {"exp", 2 * bytes, "GB/s", [=] { exp(x); }},
      {"tanh", 2 * bytes, "GB/s", [=] { tanh(x); }},
      {"gelu", 2 * bytes, "GB/s", [=] { gelu(x); }},
      {"sum of rows", bytes, "GB/s", [=] { sum(x, {1}); }},
      {"sum of columns", bytes, "GB/s", [=] { sum(x, {0}); }},
      {"softmax", 2 * bytes, "GB/s", [=] { softmax(x); }},
      {"softmax backward", 3 * bytes, "GB/s", [=] { softmax_backward(y, p); }},
      {"cross-entropy", bytes, "GB/s", [=] { cross_entropy(x, ids); }},
      {"embedding", 2 * bytes, "GB/s", [=] { embedding(table, ids); }},
      {"embedding backward", 2 * bytes, "GB/s", [=] { embedding_backward(y, ids, 256); }},
      {"AdamW", 7 * bytes, "GB/s", [=] { adamw_into(x, m, v, y, {.rate = 0}); }},
      {"normal numbers", bytes, "GB/s",
       [=] {
         randn({T, C}, 1);
       }},
  };
}

int body(int argc, char** argv) {
  Settings s;
  CommandLine line("bench", "Measures the core on this machine.");
  line.option("--seconds", s.seconds, "how long each row is measured", 0.01, 60);
  line.option("--threads", s.threads, "threads to use", 1, 64);
  if (!line.parse(argc, argv)) return line.exit_code();
  set_threads(s.threads);
  std::printf(
      "%s\nf32, tensors of 4096 x 1024 unless said; the median of many runs and their quartiles\n\n%-28s %10s %22s\n",
      machine_description().c_str(), "work", "ms", "speed");
  for (const Row& row : rows()) {
    Times t = measure(row.work, s.seconds);
    std::printf("%-28s %10.3f %14.1f %-8s (%.1f to %.1f)\n", row.name.c_str(), t.median * 1e3,
                row.amount / t.median * 1e-9, row.unit, row.amount / t.high * 1e-9, row.amount / t.low * 1e-9);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run("bench", body, argc, argv); }
