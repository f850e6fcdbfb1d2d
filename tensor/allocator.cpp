#include "tensor/allocator.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "system/error.h"

namespace heed {
namespace {

// Sizes are rounded up to one of eight steps per power of two (at most 12.5% waste), so that blocks fit again. Each
// such size has a number: 64, 128, ..., 512 are 0 to 7, then come eight per power of two.
struct Bin {
  size_t size;
  int number;
};

constexpr int kBins = 8 + 8 * (63 - 9) + 1;  // the last one is for sizes that no driver has: it stays empty

Bin bin_of(size_t bytes) {
  if (bytes <= 512) {
    const size_t steps = (std::max<size_t>(bytes, 1) + 63) / 64;
    return {steps * 64, int(steps) - 1};
  }
  if (bytes > std::numeric_limits<size_t>::max() / 2) return {bytes, kBins - 1};  // nothing may overflow
  const int power = std::bit_width(bytes - 1) - 1;                                // 2^power < bytes <= 2^(power + 1)
  const size_t step = size_t(1) << (power - 3), steps = (bytes + step - 1) >> (power - 3);  // 9 to 16 steps
  return {steps * step, 8 + 8 * (power - 9) + int(steps) - 9};
}

std::string readable(size_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = 0;
  double value = double(bytes);
  while (value >= 1024 && unit < 6) value /= 1024, unit++;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

thread_local const char* hint = "Try a smaller batch or a shorter context";

class Allocator {
 public:
  explicit Allocator(Device device) : device_(device) {}

  void* allocate(size_t bytes) {
    const auto [size, number] = bin_of(bytes);
    std::lock_guard lock(mutex_);
    void* memory = take_cached(number);
    if (!memory) memory = borrow_larger(size, number);
    if (!memory) {
      make_room(size);
      memory = take_new(size);
    }
    if (!memory && drop_cache()) memory = take_new(size);
    if (!memory) fail_full(bytes);
    stats_.live += size;
    stats_.peak = std::max(stats_.peak, stats_.live);
    return memory;
  }

  void deallocate(void* memory, size_t bytes) {
    const Bin asked = bin_of(bytes);
    std::lock_guard lock(mutex_);
    stats_.live -= asked.size;
    Bin own = asked;
    if (const auto found = borrowed_.find(memory); found != borrowed_.end()) {
      own = found->second;
      borrowed_.erase(found);
    }
    try {
      Cached& bin = cache_[own.number];
      bin.size = own.size;
      bin.blocks.push_back(memory);
      bin.used = ++clock_;
    } catch (const std::bad_alloc&) {  // no room even for the list: this is called by destructors and may not throw
      driver_of(device_).release(device_.index, memory);
      stats_.reserved -= own.size;
    }
  }

  MemoryStats stats() {
    std::lock_guard lock(mutex_);
    return stats_;
  }
  void reset_peak() {
    std::lock_guard lock(mutex_);
    stats_.peak = stats_.live;
  }
  void release_cache() {
    std::lock_guard lock(mutex_);
    drop_cache();
    regret_ = 0;
  }
  size_t set_limit(size_t bytes) {
    std::lock_guard lock(mutex_);
    return std::exchange(limit_, bytes);
  }

 private:
  struct Cached {
    size_t size = 0;
    std::vector<void*> blocks;
    long used = 0;  // when the last one came
  };

  void* take_cached(int number) {
    std::vector<void*>& blocks = cache_[number].blocks;
    if (blocks.empty()) return nullptr;
    void* memory = blocks.back();
    blocks.pop_back();
    return memory;
  }

  // Batches of many lengths need blocks of many sizes, one batch after the other: what the longest one has left serves
  // the others. Only large blocks, where it counts, and not for what is far smaller.
  void* borrow_larger(size_t size, int number) {
    constexpr size_t kWorthIt = 256 << 10;
    constexpr int kReach = 24;  // bins: 8 times as large
    if (size < kWorthIt) return nullptr;
    for (int larger = number + 1; larger < std::min(number + kReach, kBins); larger++) {
      if (cache_[larger].blocks.empty()) continue;
      void* memory = cache_[larger].blocks.back();
      borrowed_[memory] = {cache_[larger].size, larger};
      cache_[larger].blocks.pop_back();
      return memory;
    }
    return nullptr;
  }

  // A new block is needed. If much lies unused, and more than a quarter of what ever was in use, what was left alone
  // for longest goes back to the driver. Work that needs it again and again is given more room each time, so that it
  // ends.
  void make_room(size_t size) {
    constexpr size_t kAlways = 16 << 20;
    const size_t most = std::max(stats_.peak, stats_.live + size);
    const size_t room = most + most / 4 + kAlways + regret_;
    while (stats_.reserved + size > room) {
      Cached* oldest = nullptr;
      for (Cached& bin : cache_)
        if (!bin.blocks.empty() && (!oldest || bin.used < oldest->used)) oldest = &bin;
      if (!oldest) return;
      driver_of(device_).release(device_.index, oldest->blocks.back());
      oldest->blocks.pop_back();
      stats_.reserved -= oldest->size;
      regret_ += oldest->size / 16;
    }
  }

  void* take_new(size_t size) {
    if (!fits(size)) return nullptr;
    void* memory = driver_of(device_).allocate(device_.index, size);
    if (!memory) return nullptr;
    stats_.reserved += size;
    stats_.driver_calls++;
    return memory;
  }

  // Asks the machine how much is left, but only once per 64 MiB: a host promises memory that it does not have.
  bool fits(size_t size) {
    if (limit_ && (size > limit_ || stats_.reserved > limit_ - size)) return false;
    if (stats_.reserved <= assured_ && size <= assured_ - stats_.reserved) return true;
    size_t free = driver_of(device_).free_bytes(device_.index);
    if (size > free) return false;
    assured_ = stats_.reserved + std::min(free, size + (64 << 20));
    return true;
  }

  bool drop_cache() {
    bool any = false;
    for (auto& [size, blocks, used] : cache_) {
      for (void* memory : blocks) driver_of(device_).release(device_.index, memory), any = true;
      stats_.reserved -= size * blocks.size();
      blocks.clear();
    }
    assured_ = 0;
    return any;
  }

  [[noreturn]] void fail_full(size_t bytes) {
    size_t free = driver_of(device_).free_bytes(device_.index);
    if (limit_) free = std::min(free, limit_ - std::min(limit_, stats_.reserved));
    fail<OutOfMemory>("allocate", readable(bytes), " wanted on ", device_, ", ", readable(free), " free, ",
                      readable(stats_.live), " in use by tensors",
                      limit_ ? " (limit " + readable(limit_) + ")" : std::string(), process_limit(), ". ", hint);
  }

  // The shell's, of which free memory of the machine says nothing.
  std::string process_limit() const {
    rlimit limit{};
    const bool has =
        device_.backend == Backend::cpu && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return has ? "; this process may have " + readable(limit.rlim_cur) + " in all (ulimit -v)" : "";
  }

  Device device_;
  std::mutex mutex_;
  Cached cache_[kBins];
  std::unordered_map<void*, Bin> borrowed_;  // blocks that serve a smaller size: what they are
  MemoryStats stats_;
  size_t limit_ = 0, assured_ = 0;
  size_t regret_ = 0;
  long clock_ = 0;
};

Allocator& find_or_make(Device device) {
  driver_of(device);  // throws if there is no such device
  static std::mutex mutex;
  static auto* all = new std::map<std::pair<Backend, int>, Allocator>;  // never destroyed: tensors may be static
  std::lock_guard lock(mutex);
  return all->try_emplace({device.backend, device.index}, device).first->second;
}

// Every tensor asks twice, so the first devices of each backend are remembered where no lock is needed.
Allocator& allocator_of(Device device) {
  constexpr unsigned kRemembered = 16;
  static std::atomic<Allocator*> known[kBackends][kRemembered];
  if (unsigned(device.index) >= kRemembered) return find_or_make(device);
  std::atomic<Allocator*>& place = known[static_cast<int>(device.backend)][device.index];
  if (Allocator* found = place.load(std::memory_order_acquire)) return *found;
  Allocator& made = find_or_make(device);
  place.store(&made, std::memory_order_release);
  return made;
}

}  // namespace

MemoryHint::MemoryHint(const char* text) : before_(std::exchange(hint, text)) {}
MemoryHint::~MemoryHint() { hint = before_; }

MemoryStats memory_stats(Device device) { return allocator_of(device).stats(); }
void reset_peak(Device device) { allocator_of(device).reset_peak(); }
void release_cache(Device device) { allocator_of(device).release_cache(); }
size_t set_memory_limit(size_t bytes, Device device) { return allocator_of(device).set_limit(bytes); }
void* allocate(size_t bytes, Device device) { return allocator_of(device).allocate(bytes); }
void deallocate(void* memory, size_t bytes, Device device) { allocator_of(device).deallocate(memory, bytes); }

}  // namespace heed
