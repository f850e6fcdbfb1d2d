// Storage: one block of device memory, shared by all tensors that are views of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tensor/device.h"

namespace heed {

class Storage {
 public:
  Storage(size_t bytes, Device device);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }

  // Counts the writes. Autograd notes it when it saves a tensor and refuses to use one that changed since.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  void note_write() { version_.fetch_add(1, std::memory_order_relaxed); }

  // Numbers of which somebody has found that all of them are least .. limit - 1 need not be looked at again, nor read
  // back from a device, until they are written to: indices are checked by every op that takes them, and its gradient.
  bool known_within(long least, long limit) const {
    return looked_at_.load(std::memory_order_acquire) == version() + 1 && least_ >= least && limit_ <= limit;
  }
  void note_within(long least, long limit) {
    least_ = least, limit_ = limit;
    looked_at_.store(version() + 1, std::memory_order_release);
  }

 private:
  void* data_;
  size_t bytes_;
  Device device_;
  std::atomic<uint64_t> version_ = 0;
  std::atomic<uint64_t> looked_at_ = 0;  // the version of which the bounds tell, plus 1; 0: nobody has looked
  std::atomic<long> least_ = 0, limit_ = 0;
};

}  // namespace heed
