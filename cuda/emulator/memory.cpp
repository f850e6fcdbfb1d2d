#include "cuda/emulator/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(begin, bytes) static_cast<void>(0)
#endif

namespace heed::emulator {
namespace {

constexpr size_t kGap = 256;          // behind each block, and what blocks are aligned to
constexpr unsigned char kNaN = 0xff;  // all bytes of it: a NaN in every floating-point type

// Locking goes by pages: with huge ones 64 MB take 15 us, with others 2,800.
constexpr size_t kHugePage = 2 << 20;

size_t room_for(size_t bytes) { return (bytes + kGap - 1) / kGap * kGap + kGap; }

// Blocks are given again by size, so that the part in use stays small.
struct Memory {
  char* base = nullptr;
  size_t used = 0;
  int open = 0;
  std::map<size_t, std::vector<void*>> spare;  // by room
  std::map<void*, size_t> bytes;               // of the blocks that are out
};
Memory memory;

void protect(int how) {
  if (memory.used) mprotect(memory.base, (memory.used + kHugePage - 1) / kHugePage * kHugePage, how);
}

void fill(void* at, size_t bytes) {
  const OpenMemory open;
  ASAN_UNPOISON_MEMORY_REGION(at, bytes);
  std::memset(at, kNaN, bytes);
}

__attribute__((no_sanitize("address"))) bool is_untouched(const unsigned char* at, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != kNaN) return false;
  return true;
}

}  // namespace

void* allocate(size_t bytes) {
  if (!memory.base) {
    void* room = mmap(nullptr, kDeviceBytes + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return nullptr;
    memory.base = static_cast<char*>(room) + (kHugePage - uint64_t(room) % kHugePage) % kHugePage;
    madvise(memory.base, kDeviceBytes, MADV_HUGEPAGE);
  }
  const size_t room = room_for(bytes);
  std::vector<void*>& list = memory.spare[room];
  if (list.empty()) {
    if (room > kDeviceBytes - memory.used) return nullptr;
    list.push_back(memory.base + memory.used);
    memory.used += room;
  }
  void* block = list.back();
  list.pop_back();
  memory.bytes[block] = bytes;
  fill(block, room);
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(block) + bytes, room - bytes);
  return block;
}

bool release(void* block) {
  const auto found = memory.bytes.find(block);
  if (found == memory.bytes.end()) return false;
  memory.spare[room_for(found->second)].push_back(block);
  ASAN_POISON_MEMORY_REGION(block, room_for(found->second));
  memory.bytes.erase(found);
  return true;
}

size_t free_bytes() { return kDeviceBytes - memory.used; }

bool on_device(const void* address, size_t bytes) {
  const char* at = static_cast<const char*>(address);
  return memory.base && at >= memory.base && at + bytes <= memory.base + memory.used;
}

// Addresses of programs and their heaps begin with 0x55, those of mapped files and stacks end with 0x7f.
bool is_host_address(uint64_t word) {
  return word >= 0x0000550000000000 && word < 0x0000800000000000 &&
         !(word >= uint64_t(memory.base) && word <= uint64_t(memory.base) + kDeviceBytes);
}

bool find_overrun(size_t* bytes_of_block) {
  const OpenMemory open;
  for (const auto& [block, bytes] : memory.bytes) {
    auto* end = static_cast<unsigned char*>(block) + bytes;
    const size_t gap = room_for(bytes) - bytes;
    if (is_untouched(end, gap)) continue;
    fill(end, gap);
    ASAN_POISON_MEMORY_REGION(end, gap);
    *bytes_of_block = bytes;
    return true;
  }
  return false;
}

OpenMemory::OpenMemory() {
  if (memory.open++ == 0) protect(PROT_READ | PROT_WRITE);
}
OpenMemory::~OpenMemory() {
  if (--memory.open == 0) protect(PROT_NONE);
}

}  // namespace heed::emulator
