// What this machine can do at most, measured in the same run as everything that is held against it.
#pragma once

#include "bench/harness.h"

namespace heed::bench {

// Fused multiply-adds out of registers, on all threads, and copies of tensors of several sizes.
std::vector<Case> machine_cases();
// What else these cases are held against, and what is not worth its time otherwise: our fastest product, a read.
std::vector<Case> further_machine_cases(const std::vector<Case>& cases);

class Limits {
 public:
  // Takes the speed of a measured machine case: the fastest turn of multiply-adds and products; the median of reads,
  // and the better side's of a copy.
  void learn(const Result& machine);
  // GFLOP/s, or GB/s of the copy that moves the most similar number of bytes. 0: not measured.
  double of(const Case& work) const;

 private:
  struct Copy {
    double bytes, speed;
  };
  double peak_ = 0, product_ = 0, read_ = 0;
  std::vector<Copy> copies_;
};

}  // namespace heed::bench
