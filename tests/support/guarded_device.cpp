#include "tests/support/guarded_device.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "attention/engines/keep_kernels.h"
#include "tensor/allocator.h"
#include "tensor/kernel.h"
#include "tensor/loop.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/rotary.h"
#include "tensor/ops/rows.h"
#include "tests/support/boost.h"

using namespace heed;

namespace {

constexpr size_t kRoom = size_t(8) << 30;  // of addresses; memory is taken as it is used

// Blocks are given back by size, so that the part in use stays small: locking it costs time by its pages.
struct Memory {
  char* base = nullptr;
  size_t used = 0;
  int open = 0;  // kernels and copies that run
  std::map<size_t, std::vector<void*>> spare;
  std::map<void*, size_t> sizes;

  bool holds(uint64_t address) const { return address >= uint64_t(base) && address < uint64_t(base) + kRoom; }
  void unlock() {
    if (open++ == 0 && used) mprotect(base, used, PROT_READ | PROT_WRITE);
  }
  void lock() {
    if (--open == 0 && used) mprotect(base, used, PROT_NONE);
  }
};

Memory memory;
bool taken = false;
const KernelWatch* watched_before = nullptr;
long calls = 0;
std::set<std::string> found;

void* allocate(int, size_t bytes) {
  std::vector<void*>& list = memory.spare[bytes];
  if (list.empty()) {
    if (memory.used + bytes > kRoom) return nullptr;
    list.push_back(memory.base + memory.used);
    memory.used += bytes;
  }
  void* block = list.back();
  list.pop_back();
  memory.sizes[block] = bytes;
  return block;
}

void copy(void* to, Device, const void* from, Device, size_t bytes) {
  memory.unlock();
  std::memcpy(to, from, bytes);
  memory.lock();
}

// Addresses of the host: of programs and their heaps (from 0x55..), and of mapped files and stacks (to 0x7f..).
// Not in builds with sanitizers, where gaps of structs hold what was on the stack before: the plain build looks.
bool is_host_pointer(uint64_t word) {
#ifdef __SANITIZE_ADDRESS__
  constexpr bool looks = false;
#else
  constexpr bool looks = true;
#endif
  return looks && word >= 0x0000550000000000 && word < 0x0000800000000000 && !memory.holds(word);
}

void before(const KernelCall& call) {
  calls++;
  for (int a = 0; a < call.count; a++) {
    const KernelArgument& argument = call.arguments[a];
    if (has_no_pointers(*argument.type)) continue;
    for (size_t word = 0; word + 8 <= argument.size; word += 8) {
      uint64_t value;
      std::memcpy(&value, static_cast<const char*>(argument.bytes) + word, 8);
      if (is_host_pointer(value))
        found.insert(std::string(call.op) + ": word " + std::to_string(word / 8) + " of argument " + std::to_string(a));
    }
  }
  memory.unlock();
}

const KernelWatch kWatch{before, [](const KernelCall&) { memory.lock(); }};

}  // namespace

// A Shape does not set the sizes that it does not use, and behind a 32-bit number at the end of a struct is a gap.
bool has_no_pointers(const std::type_info& type) {
  for (const std::type_info* each : {&typeid(Loop), &typeid(MatmulLayout), &typeid(RotaryLayout), &typeid(RowsLayout),
                                     &typeid(KeepDraws), &typeid(kernels::AttentionKeep)})
    if (type == *each) return true;
  return false;
}

GuardedDevice::GuardedDevice() {
  BOOST_REQUIRE(!taken);
  taken = true;
  calls = 0;
  found.clear();
  if (!memory.base) {
    void* room = mmap(nullptr, kRoom, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    BOOST_REQUIRE(room != MAP_FAILED);
    memory.base = static_cast<char*>(room);
  }
  register_driver(Backend::custom,
                  {.count = [] { return 1; },
                   .allocate = allocate,
                   .release = [](int, void* block) { memory.spare[memory.sizes[block]].push_back(block); },
                   .free_bytes = [](int) { return kRoom - memory.used; },
                   .copy = copy,
                   .finish = [](int) {},
                   .describe = [](int) { return std::string("guarded"); }});
  lend_kernels(Backend::cpu, Backend::custom);
  watched_before = kernel_watch();
  watch_kernels(&kWatch);
}

GuardedDevice::~GuardedDevice() {
  release_cache(device);  // the next tenant has memory of its own
  watch_kernels(watched_before);
  empty_kernels(Backend::custom);
  memory.open = 0;
  taken = false;
}

std::string GuardedDevice::host_pointers() const {
  std::string text;
  for (const std::string& each : found) text += each + "\n";
  return text;
}

long GuardedDevice::launches() const { return calls; }
