// OpenBLAS takes a work space of 128 MiB for every thread that multiplies, and keeps it. Where the system refuses it
// (`ulimit -v`), it asks again and again, for ever. So we ask first.
#include <sys/mman.h>

#include <atomic>
#include <mutex>

#include "system/error.h"
#include "system/parallel.h"
#include "tensor/cpu/products/blas.h"

extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int place);
[[gnu::weak]] void blas_memory_free(void* space);
}

namespace heed {
namespace {

constexpr size_t kSpace = 128 << 20;  // and a bit: what lies beside it
constexpr size_t kMargin = 4 << 20;

bool system_has(size_t bytes) {
  void* probe = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return probe != MAP_FAILED && ::munmap(probe, bytes) == 0;
}

// Lets OpenBLAS take this many work spaces, and returns how many it has.
int take_spaces(int wanted) {
  std::vector<void*> taken;
  while (int(taken.size()) < wanted && system_has(kSpace + kMargin)) taken.push_back(blas_memory_alloc(0));
  for (void* space : taken) blas_memory_free(space);
  return int(taken.size());
}

}  // namespace

void check_blas_room(const char* op) {
  static std::atomic<int> proven = 0;  // threads that have a work space
  const int wanted = threads();
  if (wanted <= proven || !blas_memory_alloc || !blas_memory_free) return;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const int has = wanted <= proven ? wanted : take_spaces(wanted);
  if (has < wanted)
    fail<OutOfMemory>(op, "OpenBLAS needs 128 MiB of work space for each of ", wanted,
                      " threads, and the system gives it to ", has, ". Raise its limit (ulimit -v)",
                      has > 0 ? ", or use " + std::to_string(has) + (has > 1 ? " threads" : " thread")
                              : ", or take less memory for the rest: a smaller batch or model");
  proven = wanted;
}

}  // namespace heed
