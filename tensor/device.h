// Devices and their drivers. A Device names where a tensor lives; its driver gives memory and moves bytes. What a
// device can compute is told by the kernel slots (kernel.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

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

// The device that a user names: "cpu", "cuda" (its first), "cuda:1", or "auto": a GPU if there is one. Throws with the
// reason if it is not there.
Device device_from(const std::string& text);
int devices(Backend backend);            // how many there are here
std::string description(Device device);  // "NVIDIA L4, sm_89, 22.0 GiB"; of the cpu "cpu"

// Kernels of a device may run on while the host goes on. Waits for all of them, and throws what one of them did wrong
// since the last time: an index out of range that was made on the device, say. Reading a tensor's numbers waits by
// itself, but tells nothing of this.
void finish(Device device);

Device chosen_device();  // by the option --device of a program: cpu if nothing was said

// ---- for backends

// What a backend registers once, before its first tensor. Work and copies of a device are done in the order in which
// they were asked for; any of these may throw an Error.
struct Driver {
  int (*count)();                              // devices that are there; they have the indices 0 to count - 1
  void* (*allocate)(int index, size_t bytes);  // 64-byte aligned; nullptr when there is no room
  void (*release)(int index, void* memory);
  size_t (*free_bytes)(int index);  // what could still be allocated
  // One of the two ends is this backend's, the other is this backend's or the cpu's. To the host: done on return. From
  // the host: its bytes may be changed on return.
  void (*copy)(void* to, Device to_device, const void* from, Device from_device, size_t bytes);
  void (*finish)(int index);
  std::string (*describe)(int index);
};

void register_driver(Backend backend, const Driver& driver);
const Driver& driver_of(Device device);  // throws if the device is not there
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes);

// The device for which a kernel of this thread was asked last, if that was not the cpu: where it is to run. Kernels get
// pointers and sizes only, and a backend may have several devices.
Device device_of_kernel();
void set_device_of_kernel(Device device);  // for Kernel

// What finish() does besides, when all kernels have ended: it looks for what they noted, and may throw.
void check_at_finish(void (*check)(Device device));

// Copies between the host and other devices so far, in this thread: what a training step must have few of.
struct CopyCounts {
  long to_host = 0, from_host = 0;
};
CopyCounts copy_counts();

}  // namespace heed
