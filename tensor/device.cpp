#include "tensor/device.h"

#include <array>
#include <optional>

#include "system/error.h"

namespace heed {
namespace {

std::array<std::optional<Driver>, kBackends>& drivers() {
  static std::array<std::optional<Driver>, kBackends> all;
  return all;
}

}  // namespace

const char* name(Backend backend) {
  constexpr const char* names[kBackends] = {"cpu", "cuda", "custom"};
  return names[static_cast<int>(backend)];
}

std::ostream& operator<<(std::ostream& out, Device device) {
  out << name(device.backend);
  return device == cpu ? out : out << ":" << device.index;
}

void register_driver(Backend backend, const Driver& driver) { drivers()[static_cast<int>(backend)] = driver; }

const Driver& driver_of(Device device) {
  const auto& driver = drivers()[static_cast<int>(device.backend)];
  HEED_CHECK(driver && device.index >= 0, "device", device, " is not available here; use cpu");
  return *driver;
}

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
  Device owner = to_device.backend == Backend::cpu ? from_device : to_device;  // whoever is not the host moves
  driver_of(owner).copy(to, to_device, from, from_device, bytes);
}

}  // namespace heed
