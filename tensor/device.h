// Devices and their drivers. A Device names where a tensor lives; its driver gives memory and moves bytes. What a
// device can compute is told by the kernel slots (kernel.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace heed {

enum class Backend : uint8_t { cpu, cuda, custom };  // custom: experiments, and the second device of our tests
inline constexpr int kBackends = 3;

struct Device {
  Backend backend = Backend::cpu;
  int index = 0;
  bool operator==(const Device&) const = default;
};

inline constexpr Device cpu{};

const char* name(Backend backend);                           // "cpu"
std::ostream& operator<<(std::ostream& out, Device device);  // "cpu", "cuda:0"

// What a backend registers once, before its first tensor.
struct Driver {
  void* (*allocate)(int index, size_t bytes);  // 64-byte aligned; nullptr when there is no room
  void (*release)(int index, void* memory);
  size_t (*free_bytes)(int index);  // what could still be allocated
  // One of the two ends is this backend's, the other is this backend's or the cpu's.
  void (*copy)(void* to, Device to_device, const void* from, Device from_device, size_t bytes);
};

void register_driver(Backend backend, const Driver& driver);
const Driver& driver_of(Device device);  // throws if the backend is not there
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes);

}  // namespace heed
