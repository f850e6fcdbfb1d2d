// The shadow test. With HEED_SHADOW=1 in the environment every call of a cpu kernel, in any test, is made a second time
// by its twin on the device: on copies of the memory blocks into which the arguments point, taken before the call. Then
// all bytes of all blocks are compared, also those that nobody should have touched. So every edge case on which the cpu
// kernels are tested is a test of the twins too, and none is written twice. `make cuda-test` runs it, emulated.
//
// Left out: calls on blocks of more than HEED_SHADOW_BYTES (1 MiB), and what was seen three times already (the same op
// with the same sizes). HEED_SHADOW=all leaves out nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "system/text.h"
#include "tensor/allocator.h"
#include "tensor/kernel.h"
#include "tensor/loop.h"
#include "tests/support/boost.h"
#include "tests/support/guarded_device.h"

using namespace heed;

namespace {

constexpr Device kTwin{Backend::cuda, 0};
constexpr size_t kScratch = size_t(64) << 20;  // the workspace of all twins
constexpr int kShown = 40;

std::string setting(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);
  return text ? text : otherwise;
}
const std::string wanted = setting("HEED_SHADOW", "");
const size_t most_bytes = wanted == "all" ? kScratch : std::stoul(setting("HEED_SHADOW_BYTES", "1048576"));
const int most_repeats = wanted == "all" ? 1 << 30 : 3;

struct Counts {
  long made = 0, differ = 0, without = 0, large = 0, unknown = 0;
};
std::recursive_mutex mutex;  // held from before a call to behind it
std::map<std::string, Counts> ops;
std::vector<std::string> differences;
std::map<std::string, int> seen;
int depth = 0;  // kernels that call kernels: the outer one counts

// ---- the cpu's memory blocks: its driver is wrapped

std::optional<Driver> plain;
std::map<uint64_t, size_t> blocks;

void* allocate(int index, size_t bytes) {
  void* memory = plain->allocate(index, bytes);
  const std::lock_guard lock(mutex);
  if (memory) blocks[uint64_t(memory)] = bytes;
  return memory;
}
void release(int index, void* memory) {
  {
    const std::lock_guard lock(mutex);
    blocks.erase(uint64_t(memory));
  }
  plain->release(index, memory);
}
std::map<uint64_t, size_t>::const_iterator block_at(uint64_t address) {
  auto found = blocks.upper_bound(address);
  if (found == blocks.begin()) return blocks.end();
  --found;
  return address < found->first + found->second ? found : blocks.end();
}

// ---- one call

void* scratch() {
  static void* once = driver_of(kTwin).allocate(0, kScratch);
  return once;
}

struct Twin {
  char* there = nullptr;
  size_t bytes = 0;
  bool exact = false;  // integers and booleans
};

struct Shadowed {
  std::map<uint64_t, Twin> twins;            // by the block on the host
  std::vector<std::vector<uint64_t>> words;  // of the arguments, translated
  bool unknown = false;                      // there is an address of memory that we do not know

  ~Shadowed() {
    for (auto& [block, twin] : twins) driver_of(kTwin).release(0, twin.there);
  }
};
std::optional<Shadowed> now;

bool is_exact(const std::type_info& type) {
  for (const std::type_info* each : {&typeid(int64_t*), &typeid(int32_t*), &typeid(bool*), &typeid(uint8_t*),
                                     &typeid(const int64_t*), &typeid(const int32_t*), &typeid(const bool*)})
    if (type == *each) return true;
  return false;
}

// The word as the twin gets it: an address inside of a block becomes one inside of the block's copy.
uint64_t translated(uint64_t word, bool exact) {
  const auto block = block_at(word);
  if (block == blocks.end()) {
    now->unknown |= word >= 0x0000550000000000 && word < 0x0000800000000000;
    return word;
  }
  Twin& twin = now->twins[block->first];
  twin.exact |= exact;
  if (!twin.there) {
    twin.bytes = block->second;
    twin.there = static_cast<char*>(driver_of(kTwin).allocate(0, twin.bytes));
    driver_of(kTwin).copy(twin.there, kTwin, reinterpret_cast<const void*>(block->first), cpu, twin.bytes);
  }
  return uint64_t(twin.there) + (word - block->first);
}

// The op and all numbers among its arguments
std::string signature(const KernelCall& call) {
  std::string text = std::string(call.op) + char(call.dtype);
  for (int a = 0; a < call.count; a++) {
    const KernelArgument& argument = call.arguments[a];
    for (size_t at = 0; at < argument.size; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(argument.bytes) + at, std::min<size_t>(8, argument.size - at));
      if (word > (uint64_t(1) << 40)) word = block_at(word) != blocks.end();  // an address; gaps and numbers vary
      text.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
  }
  return text;
}

bool too_large(const KernelCall& call) {
  for (int a = 0; a < call.count; a++)
    for (size_t at = 0; at + 8 <= call.arguments[a].size; at += 8) {
      uint64_t word;
      std::memcpy(&word, static_cast<const char*>(call.arguments[a].bytes) + at, 8);
      const auto block = block_at(word);
      if (block != blocks.end() && block->second > most_bytes) return true;
    }
  return false;
}

std::string name_of(const KernelCall& call) {
  return std::string(call.op) + (call.dtype == kEveryType ? "" : std::string(" ") + name(call.dtype));
}

void before(const KernelCall& call) {
  mutex.lock();
  if (call.backend != Backend::cpu || depth++ > 0) return;
  if (too_large(call)) return void(ops[name_of(call)].large++);
  if (seen[signature(call)]++ >= most_repeats) return;
  now.emplace();
  for (int a = 0; a < call.count; a++) {
    const KernelArgument& argument = call.arguments[a];
    std::vector<uint64_t> words((argument.size + 7) / 8, 0);
    std::memcpy(words.data(), argument.bytes, argument.size);
    const bool workspace = a == call.count - 1 && *argument.type == typeid(void*);
    if (workspace) words[0] = uint64_t(scratch());
    if (!workspace && !has_no_pointers(*argument.type))
      for (uint64_t& word : words) word = translated(word, is_exact(*argument.type));
    now->words.push_back(std::move(words));
  }
}

// The largest number of all blocks, which tells how large the parts of a sum may have been. A block may hold bytes that
// nobody has set: what looks huge does not count.
template <class E> double largest_part() {
  constexpr double kHuge = 1e6;
  double largest = 0;
  for (const auto& [block, twin] : now->twins) {
    const E* x = reinterpret_cast<const E*>(block);
    for (size_t i = 0; i < twin.bytes / sizeof(E) && !twin.exact; i++)
      if (std::abs(double(x[i])) < kHuge) largest = std::max(largest, std::abs(double(x[i])));
  }
  return largest;
}

// How far a number may be off: elementwise ops by their own size, sums by that of their parts.
template <class E> bool near(const E* got, const E* expected, size_t count, bool elementwise, std::string& why) {
  double parts = elementwise ? 1 : largest_part<E>();
  for (size_t i = 0; i < count && !elementwise; i++)
    if (std::isfinite(expected[i])) parts = std::max(parts, std::abs(double(expected[i])));
  const double tolerance = sizeof(E) == 4 ? (elementwise ? 3e-6 : 2e-5) : 1e-12;
  for (size_t i = 0; i < count; i++) {
    if (std::memcmp(&got[i], &expected[i], sizeof(E)) == 0 || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    const double size = std::max(parts, std::abs(double(expected[i])));
    if (std::abs(double(got[i]) - double(expected[i])) <= tolerance * size) continue;
    why = format("element %zu of %zu is %.9g and should be %.9g", i, count, double(got[i]), double(expected[i]));
    return false;
  }
  return true;
}

// Empty: all bytes are as they should be
std::string difference(const KernelCall& call) {
  bool elementwise = false;
  for (int a = 0; a < call.count; a++) elementwise |= *call.arguments[a].type == typeid(Loop);
  for (const auto& [block, twin] : now->twins) {
    std::vector<double> got((twin.bytes + 7) / 8);  // aligned for every type
    driver_of(kTwin).copy(got.data(), cpu, twin.there, kTwin, twin.bytes);
    const void* expected = reinterpret_cast<const void*>(block);
    if (std::memcmp(got.data(), expected, twin.bytes) == 0) continue;
    std::string why = "integers differ, or bytes that nobody should have touched";
    if (!twin.exact && call.dtype == f64 &&
        near(got.data(), static_cast<const double*>(expected), twin.bytes / 8, elementwise, why))
      continue;
    if (!twin.exact && call.dtype == f32 &&
        near(reinterpret_cast<const float*>(got.data()), static_cast<const float*>(expected), twin.bytes / 4,
             elementwise, why))
      continue;
    return why;
  }
  return "";
}

void compare(const KernelCall& call) {
  Counts& counts = ops[name_of(call)];
  std::vector<const void*> arguments;
  for (const auto& words : now->words) arguments.push_back(words.data());
  set_device_of_kernel(kTwin);
  std::string why;
  try {
    if (!call.run(call.slot, Backend::cuda, arguments.data())) return void(counts.without++);
    finish(kTwin);
    why = difference(call);
  } catch (const std::exception& error) {
    why = error.what();
  }
  counts.made++;
  if (why.empty()) return;
  counts.differ++;
  if (differences.size() < kShown) {
    differences.push_back(name_of(call) + ": " + why + ", in " +
                          boost::unit_test::framework::current_test_case().full_name());
    std::fprintf(stderr, "shadow: %s\n", differences.back().c_str());
  }
}

void after(const KernelCall& call) {
  if (call.backend == Backend::cpu && --depth == 0 && now) {
    if (now->unknown)
      ops[name_of(call)].unknown++;
    else
      compare(call);
    now.reset();
  }
  mutex.unlock();
}

const KernelWatch kWatch{before, after, true};

void report() {
  Counts all;
  std::string without;
  size_t twins = 0;
  for (const auto& [op, counts] : ops) {
    all.made += counts.made, all.differ += counts.differ, all.large += counts.large, all.unknown += counts.unknown;
    twins += counts.made > 0;
    if (counts.without) without += (without.empty() ? "" : ", ") + op;
    if (counts.differ) std::printf("shadow: %s: %ld of %ld calls differ\n", op.c_str(), counts.differ, counts.made);
  }
  std::printf(
      "shadow: %ld calls of %zu ops made twice, %ld differ; left out: %ld on large blocks, %ld on memory "
      "that is not known\n",
      all.made, twins, all.differ, all.large, all.unknown);
  if (!without.empty()) std::printf("shadow: without a twin: %s\n", without.c_str());
  BOOST_TEST(all.differ == 0);
}

// Begins in front of the first test. Tensors that were made before are not known, and calls with them are left out.
struct Shadow {
  void setup() {
    if (wanted.empty()) return;
    static_cast<void>(description(kTwin));  // loads it, or throws
    release_cache(cpu);                     // its blocks are not known
    plain = driver_of(cpu);
    Driver wrapped = *plain;
    wrapped.allocate = allocate, wrapped.release = release;
    register_driver(Backend::cpu, wrapped);
    watch_kernels(&kWatch);
  }
  void teardown() {
    if (!wanted.empty()) report();
  }
};
BOOST_TEST_GLOBAL_FIXTURE(Shadow);

}  // namespace
