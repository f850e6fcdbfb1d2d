// Draws: whole numbers, fractions and orders, one after the other, from one key: for what is drawn on the host and is
// no tensor, such as the order in which tokens are predicted.
//
//   Draws draws({.seed = 1, .step = step, .site = site_hash("dice"), .sample = game});
//   draws.below(6) + 1;
#pragma once

#include <utility>

#include "tensor/random.h"

namespace heed {

class Draws {
 public:
  explicit Draws(const RandomKey& key) : key_(key) {}

  long below(long bound) { return long((uint64_t(next()) * uint64_t(bound)) >> 32); }  // 0 .. bound - 1
  double fraction() { return double(next()) / 4294967296.0; }                          // 0 <= x < 1
  template <class List> void shuffle(List& list) {                                     // every order is equally likely
    for (size_t i = list.size(); i > 1; i--) std::swap(list[i - 1], list[size_t(below(long(i)))]);
  }

 private:
  uint32_t next() {
    const Philox4 four = philox({key_.site, key_.sample, used_ / 4, 0}, key_.key());
    return four[used_++ % 4];
  }

  RandomKey key_;
  uint32_t used_ = 0;
};

}  // namespace heed
