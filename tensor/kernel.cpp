#include "tensor/kernel.h"

namespace heed {
namespace {

std::vector<KernelEntry>& entries() {
  static std::vector<KernelEntry> all;
  return all;
}

}  // namespace

const std::vector<KernelEntry>& kernel_entries() { return entries(); }
void note_kernel(const KernelEntry& entry) { entries().push_back(entry); }

}  // namespace heed
