// The cpu's driver: aligned host memory, and how much of it is left (the machine's, the cgroup's or what `ulimit -v`
// leaves of this process's, whichever is least).
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include "system/ceil_div.h"
#include "tensor/device.h"

namespace heed {
namespace {

size_t read_number(const char* path) {
  std::ifstream file(path);
  size_t value = 0;
  return file >> value ? value : std::numeric_limits<size_t>::max();  // "max" or no such file: no limit
}

size_t machine_free() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (size_t kib; file >> key >> kib >> unit;)
    if (key == "MemAvailable:") return kib * 1024;
  return std::numeric_limits<size_t>::max();
}

// Bytes of files that the group has read or written: counted as used, given back on demand.
size_t cgroup_files() {
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  size_t total = 0;
  std::string key;
  for (size_t bytes; file >> key >> bytes;)
    if (key == "active_file" || key == "inactive_file") total += bytes;
  return total;
}

size_t cgroup_free() {
  size_t limit = read_number("/sys/fs/cgroup/memory.max"), used = read_number("/sys/fs/cgroup/memory.current");
  if (limit == std::numeric_limits<size_t>::max() || used == std::numeric_limits<size_t>::max()) return limit;
  used -= std::min(used, cgroup_files());
  return limit - std::min(limit, used);
}

// The limit counts addresses, used or not; so does the first number of statm, in pages.
size_t process_free() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<size_t>::max();
  const size_t pages = read_number("/proc/self/statm"), page = size_t(sysconf(_SC_PAGESIZE));
  if (pages == std::numeric_limits<size_t>::max()) return limit.rlim_cur;
  return limit.rlim_cur - std::min<size_t>(limit.rlim_cur, pages * page);
}

// Large blocks ask for huge pages: a product that walks down a column meets a new page at every row.
constexpr size_t kHugePage = 2 << 20;

void* allocate_host(int, size_t bytes) {
  if (bytes > size_t(std::numeric_limits<int64_t>::max())) return nullptr;
  if (bytes < kHugePage) return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  void* memory = std::aligned_alloc(kHugePage, ceil_div(bytes, kHugePage) * kHugePage);
  if (memory) madvise(memory, bytes, MADV_HUGEPAGE);  // where the system has none, nothing happens
  return memory;
}

void release_host(int, void* memory) { std::free(memory); }

size_t free_host(int) { return std::min({machine_free(), cgroup_free(), process_free()}); }

void copy_host(void* to, Device, const void* from, Device, size_t bytes) { std::memcpy(to, from, bytes); }

const bool registered = [] {
  register_driver(Backend::cpu, {.count = [] { return 1; },
                                 .allocate = allocate_host,
                                 .release = release_host,
                                 .free_bytes = free_host,
                                 .copy = copy_host,
                                 .finish = [](int) {},
                                 .describe = [](int) { return std::string("cpu"); }});
  return true;
}();

}  // namespace
}  // namespace heed
