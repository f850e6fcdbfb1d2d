#include "bench/machine.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "system/parallel.h"
#include "tensor/copy.h"
#include "tensor/cpu/simd.h"
#include "tensor/ops/matmul.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

using Vector = Vec<float>;
constexpr long kChains = 12;  // independent sums: enough to hide 4 to 5 cycles at two a cycle, and fewer than registers
constexpr long kSteps = 40'000, kPiecesPerThread = 4;
constexpr double kBurst = 2.0 * kSteps * kChains * Vector::kLanes;  // operations in one piece

float multiply_add_burst(float start) {
  std::array<Vector, kChains> sums;
  for (long i = 0; i < kChains; i++) sums[i] = start * float(i);
  const Vector factor = 0.999f, addend = 0.5f;
  for (long step = 0; step < kSteps; step++)
    for (Vector& sum : sums) sum = sum * factor + addend;
  Vector all = 0.f;
  for (const Vector& sum : sums) all = all + sum;
  return all.raw[0];
}

Action multiply_adds() {
  return [] {
    volatile float start = 1;  // what is not known cannot be computed beforehand
    parallel_for(kPiecesPerThread * threads(), 1,
                 [&](long, long) { [[maybe_unused]] volatile float sink = multiply_add_burst(start); });
  };
}

Case copy_case(long megabytes) {
  const long rows = megabytes * 256;  // of 1024 floats: 4096 bytes
  const double bytes = 2.0 * 4 * 1024 * double(rows);
  return {.group = "machine",
          .name = "copy of " + std::to_string(megabytes) + " MB",
          .request = "copy " + std::to_string(rows) + " 1024",
          .amount = bytes,
          .limit = Limit::copy,
          .make = [=]() -> Action {
            Tensor from = randn({rows, 1024}, 1), to = clone(from);
            return [=] { copy_into(to, from); };
          }};
}

Case largest_product() {
  constexpr long n = 4096;
  return {.group = "machine",
          .name = "product of " + std::to_string(n) + " x " + std::to_string(n),
          .amount = 2.0 * n * n * n,
          .limit = Limit::product,
          .make = [=]() -> Action {
            const Tensor a = randn({n, n}, 1), b = randn({n, n}, 2);
            return [=] { matmul(a, b); };
          }};
}

float sum_of(const float* x, long n) {
  constexpr long kSums = 8;
  std::array<Vector, kSums> sums;
  sums.fill(0.f);
  for (long i = 0; i < n; i += kSums * Vector::kLanes)
    for (long j = 0; j < kSums; j++) sums[j] = sums[j] + Vector::load(x + i + j * Vector::kLanes);
  for (long j = 1; j < kSums; j++) sums[0] = sums[0] + sums[j];
  return sum_lanes(sums[0]);
}

// As many bytes as the weights of the small model in bench/sampling.cpp have: where they lie, in a cache or not, so do
// these.
Case read_case() {
  constexpr long kPiece = 1 << 14, kPieces = 196;
  return {.group = "machine",
          .name = "read of 13 MB",
          .amount = 4.0 * kPiece * kPieces,
          .limit = Limit::read,
          .make = []() -> Action {
            const Tensor x = randn({kPieces, kPiece}, 1);
            return [=] {
              const float* data = x.data<float>();
              parallel_for(kPieces, 1, [&](long begin, long end) {
                [[maybe_unused]] volatile float sink = sum_of(data + begin * kPiece, (end - begin) * kPiece);
              });
            };
          }};
}

}  // namespace

std::vector<Case> further_machine_cases(const std::vector<Case>& cases) {
  std::vector<Case> all;
  for (const Case& one : {largest_product(), read_case()})
    if (std::any_of(cases.begin(), cases.end(), [&](const Case& work) { return work.limit == one.limit; }))
      all.push_back(one);
  return all;
}

std::vector<Case> machine_cases() {
  const Case peak{.group = "machine",
                  .name = "fused multiply-adds",
                  .amount = kBurst * double(kPiecesPerThread) * threads(),
                  .make = multiply_adds};
  return {peak, copy_case(4), copy_case(8), copy_case(16), copy_case(64)};
}

void Limits::learn(const Result& machine) {
  const Limit limit = machine.work.limit;
  if (counts_operations(limit))
    (limit == Limit::peak ? peak_ : product_) = machine.work.amount / machine.best * 1e-9;
  else if (limit == Limit::read)
    read_ = machine.speed();
  else
    copies_.push_back({machine.work.amount, std::max(machine.speed(), machine.has_peer() ? machine.peer_speed() : 0)});
}

double Limits::of(const Case& work) const {
  if (work.limit == Limit::peak) return peak_;
  if (work.limit == Limit::product) return product_;
  if (work.limit == Limit::read) return read_;
  const auto distance = [&](const Copy& copy) { return std::abs(std::log(copy.bytes / work.amount)); };
  const auto nearest = std::min_element(copies_.begin(), copies_.end(),
                                        [&](const Copy& a, const Copy& b) { return distance(a) < distance(b); });
  return nearest == copies_.end() ? 0 : nearest->speed;
}

}  // namespace heed::bench
