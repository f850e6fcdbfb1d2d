// What is fuzzed: a parser each, which is given any bytes. It reads them or throws an Error; anything else that happens
// (a crash, another exception, a sanitizer's report, a property that does not hold) is a finding.
//
//   const RegisteredFuzzTarget wav{{"wav", [](std::string_view bytes) { parse_wav(bytes, "it"); }}};
//
// Its seeds lie in tests/fuzz/corpus/NAME. `make fuzz` runs every target for a minute (libFuzzer, or a driver of our
// own where there is no clang), and the unit tests feed the seeds and some mutations of each (corpus_test.cpp).
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "system/registry.h"

struct FuzzTarget {
  std::string name;
  void (*read)(std::string_view bytes);
};
inline constinit heed::Registry<FuzzTarget> fuzz_targets{"fuzz", "target"};
using RegisteredFuzzTarget = heed::Registration<fuzz_targets>;

bool is_accepted(const FuzzTarget& target, std::string_view bytes);  // false: it threw an Error

// A property of what was read: ends the process, which every driver reports.
inline void must(bool holds) {
  if (!holds) std::abort();
}
