#include "system/processor.h"

#include <cstdio>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>

namespace {

constexpr const char* kOldest = "SSE2";

bool cpuid(unsigned leaf, unsigned subleaf, unsigned (&a)[4]) {
  return __get_cpuid_count(leaf, subleaf, &a[0], &a[1], &a[2], &a[3]) != 0;
}

uint64_t xgetbv() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

}  // namespace

#else  // aarch64 answers "no" to everything

namespace {

constexpr const char* kOldest = "NEON";

bool cpuid(unsigned, unsigned, unsigned (&)[4]) { return false; }
uint64_t xgetbv() { return 0; }

}  // namespace

#endif

namespace heed {
namespace {

enum Register { eax, ebx, ecx, edx };

// XCR0: the registers that the operating system saves when it switches threads.
constexpr uint64_t kNone = 0, kYmm = 0x6, kZmm = 0xe6, kTiles = 0x60000;

struct Known {
  Features bit;
  const char* name;  // as g++ names its macro, in small letters
  unsigned leaf, subleaf;
  Register in;
  int position;
  uint64_t registers;
};

// clang-format off
constexpr Known kKnown[] = {
    {feature::sse3, "sse3", 1, 0, ecx, 0, kNone},
    {feature::ssse3, "ssse3", 1, 0, ecx, 9, kNone},
    {feature::sse4_1, "sse4_1", 1, 0, ecx, 19, kNone},
    {feature::sse4_2, "sse4_2", 1, 0, ecx, 20, kNone},
    {feature::sse4a, "sse4a", 0x80000001, 0, ecx, 6, kNone},
    {feature::popcnt, "popcnt", 1, 0, ecx, 23, kNone},
    {feature::lzcnt, "lzcnt", 0x80000001, 0, ecx, 5, kNone},
    {feature::movbe, "movbe", 1, 0, ecx, 22, kNone},
    {feature::bmi, "bmi", 7, 0, ebx, 3, kNone},
    {feature::bmi2, "bmi2", 7, 0, ebx, 8, kNone},
    {feature::avx, "avx", 1, 0, ecx, 28, kYmm},
    {feature::f16c, "f16c", 1, 0, ecx, 29, kYmm},
    {feature::fma3, "fma", 1, 0, ecx, 12, kYmm},
    {feature::avx2, "avx2", 7, 0, ebx, 5, kYmm},
    {feature::fma4, "fma4", 0x80000001, 0, ecx, 16, kYmm},
    {feature::xop, "xop", 0x80000001, 0, ecx, 11, kYmm},
    {feature::tbm, "tbm", 0x80000001, 0, ecx, 21, kNone},
    {feature::avxvnni, "avxvnni", 7, 1, eax, 4, kYmm},
    {feature::amd3dnow, "3dnow", 0x80000001, 0, edx, 31, kNone},
    {feature::avx512f, "avx512f", 7, 0, ebx, 16, kZmm},
    {feature::avx512cd, "avx512cd", 7, 0, ebx, 28, kZmm},
    {feature::avx512dq, "avx512dq", 7, 0, ebx, 17, kZmm},
    {feature::avx512bw, "avx512bw", 7, 0, ebx, 30, kZmm},
    {feature::avx512vl, "avx512vl", 7, 0, ebx, 31, kZmm},
    {feature::avx512ifma, "avx512ifma", 7, 0, ebx, 21, kZmm},
    {feature::avx512vbmi, "avx512vbmi", 7, 0, ecx, 1, kZmm},
    {feature::avx512vbmi2, "avx512vbmi2", 7, 0, ecx, 6, kZmm},
    {feature::avx512vnni, "avx512vnni", 7, 0, ecx, 11, kZmm},
    {feature::avx512bitalg, "avx512bitalg", 7, 0, ecx, 12, kZmm},
    {feature::avx512vpopcntdq, "avx512vpopcntdq", 7, 0, ecx, 14, kZmm},
    {feature::avx512bf16, "avx512bf16", 7, 1, eax, 5, kZmm},
    {feature::avx512fp16, "avx512fp16", 7, 0, edx, 23, kZmm},
    {feature::amx_tile, "amx_tile", 7, 0, edx, 24, kTiles},
    {feature::amx_bf16, "amx_bf16", 7, 0, edx, 22, kTiles},
};
// clang-format on

// The answer of the CPU, by Register; zeros to a question it does not know.
struct Answer {
  unsigned value[4] = {0, 0, 0, 0};
  Answer(unsigned leaf, unsigned subleaf) { cpuid(leaf, subleaf, value); }
};

uint64_t saved_registers() {
  const bool switched_on = Answer(1, 0).value[ecx] >> 27 & 1;  // without it xgetbv is an illegal instruction
  return switched_on ? xgetbv() : 0;
}

Features ask_cpu() {
  const uint64_t saved = saved_registers();
  Features all = 0;
  for (const Known& k : kKnown)
    if (Answer(k.leaf, k.subleaf).value[k.in] >> k.position & 1 && (saved & k.registers) == k.registers) all |= k.bit;
  return all;
}

}  // namespace

Features cpu_features() {
  static const Features all = ask_cpu();  // asking is slow where a hypervisor has to answer
  return all;
}

Features build_features() {
  Features all = 0;
  for (const Known& k : kKnown) {
    char word[32];
    snprintf(word, sizeof word, " %s ", k.name);
    if (strstr(" " HEED_BUILT_FOR " ", word)) all |= k.bit;
  }
  return all;
}

void cpu_name(char (&name)[49]) {
  char text[49] = "";
  for (unsigned i = 0; i < 3; i++) memcpy(text + 16 * i, Answer(0x80000002 + i, 0).value, 16);
  const char* first = text + strspn(text, " ");
  size_t length = strlen(first);
  while (length > 0 && first[length - 1] == ' ') length--;
  memcpy(name, first, length);
  name[length] = 0;
}

bool cpu_is_amd() {
  const Answer a(0, 0);
  const unsigned maker[3] = {a.value[ebx], a.value[edx], a.value[ecx]};
  return memcmp(maker, "AuthenticAMD", 12) == 0 || memcmp(maker, "HygonGenuine", 12) == 0;
}

void list_features(char* text, size_t size, Features features) {
  size_t used = 0;
  if (size > 0) text[0] = 0;
  for (const Known& k : kKnown)
    if (features & k.bit && used < size) used += snprintf(text + used, size - used, "%s%s", used ? ", " : "", k.name);
}

const char* vector_unit(Features features) {
  if (features & feature::avx512f) return "AVX-512";
  if (features & feature::avx2) return "AVX2";
  return features & feature::avx ? "AVX" : kOldest;
}

}  // namespace heed
