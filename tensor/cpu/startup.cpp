// Runs first and is compiled for the oldest CPU, as processor.cpp is. Only C functions and functions of these two
// files: anything inline from a shared header might be the copy of a file compiled for a newer CPU.
#include "tensor/cpu/startup.h"

#include <unistd.h>

#include <cstdio>

namespace heed {
namespace {

constexpr Features kV3 = feature::avx2 | feature::fma3 | feature::f16c | feature::bmi | feature::bmi2 | feature::lzcnt |
                         feature::movbe;  // what -march=x86-64-v3 may use, apart from older things

// 101 is the first number that is left to users: ahead of all static objects of the library.
[[gnu::constructor(101)]] void check_cpu() {
  char cpu[49], text[800];
  cpu_name(cpu);
  if (!startup_sentence(text, build_features(), cpu_features(), cpu)) return;
  fputs(text, stderr);
  _exit(1);
}

}  // namespace

bool startup_sentence(char (&text)[800], Features needed, Features present, const char* cpu) {
  const Features missing = needed & ~present;
  if (!missing) return false;
  char list[400];
  list_features(list, sizeof list, missing);
  const char* unit = missing & feature::avx512f ? "AVX-512 (" : missing & feature::avx2 ? "AVX2 (" : "";
  const bool modern = (present & kV3) == kV3;
  snprintf(text, sizeof text,
           "heed: this build needs %s%s%s, which this CPU%s%s%s lacks: build it here with `make`, or with `make %s\n",
           unit, list, *unit ? ")" : "", *cpu ? " (" : "", cpu, *cpu ? ")" : "",
           modern ? "PORTABLE=1` for any x86-64 CPU since 2013" : "ARCH=-march=x86-64` for any x86-64 CPU, slower");
  return true;
}

}  // namespace heed
