// Device memory of the emulator: a part of the host's addresses that cannot be touched unless work of a queue is done.
#pragma once

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(hidden)

namespace heed::emulator {

inline constexpr size_t kDeviceBytes = size_t(8) << 30;  // of addresses: memory is taken as it is used

void* allocate(size_t bytes);  // full of NaN; nullptr when there is no room
bool release(void* block);     // false: it is none
size_t free_bytes();
bool on_device(const void* address, size_t bytes);
bool is_host_address(uint64_t word);  // is it likely to be a pointer to the host's memory?

// True once for each block behind whose end somebody has written since the last time.
bool find_overrun(size_t* bytes_of_block);

// While one lives the device's memory can be touched. They may be nested.
struct OpenMemory {
  OpenMemory();
  ~OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
};

}  // namespace heed::emulator

#pragma GCC visibility pop
