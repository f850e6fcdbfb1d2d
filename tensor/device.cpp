#include "tensor/device.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "system/error.h"
#include "system/nearest.h"
#include "system/text.h"
#include "tensor/backend_library.h"

namespace heed {
namespace {

std::array<std::optional<Driver>, kBackends>& drivers() {
  static std::array<std::optional<Driver>, kBackends> all;
  return all;
}

std::vector<void (*)(Device)>& checks_at_finish() {
  static std::vector<void (*)(Device)> all;
  return all;
}

thread_local CopyCounts copies;
thread_local Device kernel_device = cpu;

// "there is 1, cuda:0. Use that, or cpu"
std::string counted(Backend backend, int count) {
  const std::string of = name(backend);
  if (count == 0) return "there is none. Use cpu";
  return count == 1 ? "there is " + of + ":0 only"
                    : "there are " + of + ":0 to " + of + ":" + std::to_string(count - 1);
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

int devices(Backend backend) {
  const auto& driver = drivers()[static_cast<int>(backend)];
  if (!driver) load_backend(backend);
  return driver ? driver->count() : 0;
}

const Driver& driver_of(Device device) {
  const auto& driver = drivers()[static_cast<int>(device.backend)];
  if (!driver) [[unlikely]] {
    const std::string& reason = load_backend(device.backend);
    HEED_CHECK(driver, "device", device, " is not available: ", reason.empty() ? "it has no driver" : reason,
               ". Use cpu");
  }
  // A driver tells how many there are only when one is out of the ordinary: this is asked for every tensor.
  HEED_CHECK(device.index == 0 || (device.index > 0 && device.index < driver->count()), "device", device,
             " is not there; ", counted(device.backend, driver->count()));
  return *driver;
}

Device device_from(const std::string& text) {
  if (text == "auto") return devices(Backend::cuda) > 0 ? Device{Backend::cuda, 0} : cpu;
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string backend = text.substr(0, colon);
  const std::vector<std::string> known = {"cpu", "cuda", "custom"};
  const auto found = std::find(known.begin(), known.end(), backend);
  if (found == known.end()) fail_unknown("device", "device", text, {"cpu", "cuda", "cuda:1", "auto"});
  Device device{Backend(found - known.begin()), 0};
  if (colon < text.size()) {
    const auto index = number_in<int>(text.substr(colon + 1));
    HEED_CHECK(index && *index >= 0, "device", "'", text, "' was given; the rule is ", backend, ":number, such as ",
               backend, ":0");
    device.index = *index;
  }
  const Driver& driver = driver_of(device);
  HEED_CHECK(device.index < driver.count(), "device", device, " is not there; ",
             counted(device.backend, driver.count()));
  return device;
}

std::string description(Device device) { return driver_of(device).describe(device.index); }

void finish(Device device) {
  driver_of(device).finish(device.index);
  for (const auto check : checks_at_finish()) check(device);
}

void check_at_finish(void (*check)(Device device)) { checks_at_finish().push_back(check); }

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
  const bool to_host = to_device.backend == Backend::cpu, from_host = from_device.backend == Backend::cpu;
  if (to_host != from_host) (to_host ? copies.to_host : copies.from_host)++;
  driver_of(to_host ? from_device : to_device).copy(to, to_device, from, from_device, bytes);  // not the host moves
}

Device device_of_kernel() { return kernel_device; }
void set_device_of_kernel(Device device) { kernel_device = device; }
CopyCounts copy_counts() { return copies; }

}  // namespace heed
