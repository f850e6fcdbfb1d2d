#include "tensor/kernel.h"

#include <atomic>
#include <mutex>

namespace heed {
namespace {

struct Entries {
  std::mutex mutex;
  std::vector<KernelEntry> all;
};

Entries& entries() {
  static Entries entries;
  return entries;
}

std::atomic<const KernelWatch*> watching = nullptr;

}  // namespace

const std::vector<KernelEntry>& kernel_entries() { return entries().all; }

void note_kernel(const KernelEntry& entry) {
  const std::lock_guard lock(entries().mutex);  // a backend may be loaded late, by any thread
  entries().all.push_back(entry);
}

void lend_kernels(Backend from, Backend to) {
  for (const KernelEntry& entry : kernel_entries())
    if (entry.backend == from) entry.assign(entry.slot, to, &from);
}

void empty_kernels(Backend backend) {
  for (const KernelEntry& entry : kernel_entries()) entry.assign(entry.slot, backend, nullptr);
}

std::atomic<bool> cpu_kernels_are_watched = false;

void watch_kernels(const KernelWatch* watch) {
  watching = watch;
  cpu_kernels_are_watched = watch && watch->cpu_too;
}
const KernelWatch* kernel_watch() { return watching.load(std::memory_order_relaxed); }

}  // namespace heed
