// The caching allocator: one per device. Memory given back is kept in bins by size and handed out again, so that a
// training step allocates nothing new once it has run twice. A large block also serves a size below its own, and when
// much lies unused it goes back to the driver: what is reserved stays near the most that was in use, also if every step
// has other sizes. Counts live and peak bytes.
#pragma once

#include <cstddef>

#include "tensor/device.h"

namespace heed {

struct MemoryStats {
  size_t live = 0;        // bytes of all tensors alive now
  size_t peak = 0;        // the most that was alive since the last reset_peak
  size_t reserved = 0;    // live and cached: what the driver has given
  long driver_calls = 0;  // how often the driver was asked for memory
};

MemoryStats memory_stats(Device device = cpu);
void reset_peak(Device device = cpu);
void release_cache(Device device = cpu);  // gives cached memory back to the driver

// Nothing beyond this many bytes is reserved; 0 means no limit but the machine's. Returns the limit before.
size_t set_memory_limit(size_t bytes, Device device = cpu);

// While one lives, an OutOfMemory of this thread ends with this sentence: what would help, which is not always a
// smaller batch. The text must outlive it.
class MemoryHint {
 public:
  explicit MemoryHint(const char* text);
  ~MemoryHint();
  MemoryHint(const MemoryHint&) = delete;
  MemoryHint& operator=(const MemoryHint&) = delete;

 private:
  const char* before_;
};

// For Storage: 64-byte aligned memory of at least `bytes`. Throws OutOfMemory.
void* allocate(size_t bytes, Device device);
void deallocate(void* memory, size_t bytes, Device device);

}  // namespace heed
