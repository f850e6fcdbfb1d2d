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

 private:
  void* data_;
  size_t bytes_;
  Device device_;
  std::atomic<uint64_t> version_ = 0;
};

}  // namespace heed
