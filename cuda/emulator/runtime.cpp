#include "cuda/emulator/runtime.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuda/emulator/memory.h"
#include "cuda/emulator/scheduler.h"

struct EmulatedStream {
  std::deque<heed::emulator::Work> queue;
};

namespace heed::emulator {
namespace {

constexpr size_t kLongestQueue = 1000;  // then its work is done without anybody waiting for it

struct Runtime {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<EmulatedStream>> streams;
  cudaError_t error = cudaSuccess;
  std::string report;
};
Runtime& runtime() {
  static auto* one = new Runtime;  // never destroyed: tensors may outlive everything
  return *one;
}
using Lock = std::lock_guard<std::recursive_mutex>;

cudaError_t note(cudaError_t code, const std::string& what) {
  const Lock lock(runtime().mutex);
  if (runtime().error == cudaSuccess) runtime().error = code, runtime().report = what;
  return code;
}

// While one lives a memory fault is an error of the kernel that runs. (AddressSanitizer has a handler that says more.)
class CaughtFaults {
 public:
#ifdef __SANITIZE_ADDRESS__
  CaughtFaults() {}
#else
  CaughtFaults() {
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER;  // we leave the handler by a jump
    sigaction(SIGSEGV, &ours, &before_);
  }
  ~CaughtFaults() { sigaction(SIGSEGV, &before_, nullptr); }

 private:
  static void on_fault(int, siginfo_t* info, void*) {
    char what[96];
    std::snprintf(what, sizeof what, "touches address %p, which is not the device's", info->si_addr);
    abandon_thread(what);
    signal(SIGSEGV, SIG_DFL);  // not of a kernel: it happens again, and ends the program
  }
  struct sigaction before_ {};
#endif
};

void work_off(EmulatedStream& stream) {
  const OpenMemory open;
  const CaughtFaults faults;
  while (!stream.queue.empty()) {
    const Work work = std::move(stream.queue.front());
    stream.queue.pop_front();
    work();
  }
}

void finish_all() {
  for (const auto& stream : runtime().streams) work_off(*stream);
}

int device_count() {
  const char* text = std::getenv("HEED_EMULATED_DEVICES");
  return text ? std::atoi(text) : 1;
}

}  // namespace

void submit(cudaStream_t stream, Work work) {
  const Lock lock(runtime().mutex);
  stream->queue.push_back(std::move(work));
  if (stream->queue.size() > kLongestQueue) work_off(*stream);
}

void submit_grid(const char* op, long blocks, int threads, cudaStream_t stream, Work kernel) {
  if (threads <= 0 || threads > 1024 || threads % 32 != 0 || blocks <= 0 || blocks >= 1L << 31) {
    note(cudaErrorInvalidConfiguration, std::string(op) + ": a grid of " + std::to_string(blocks) + " blocks of " +
                                            std::to_string(threads) + " threads");
    return;
  }
  submit(stream, [op, blocks, threads, kernel = std::move(kernel)] {
    const std::string error = run_grid(unsigned(blocks), unsigned(threads), kernel);
    if (!error.empty()) note(cudaErrorLaunchFailure, std::string(op) + ", " + error);
  });
}

void check_argument(const char* op, const void* bytes, size_t size) {
  for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, static_cast<const char*>(bytes) + at, sizeof word);
    if (is_host_address(word)) {
      note(cudaErrorIllegalAddress, std::string(op) + ": word " + std::to_string(at / sizeof word) +
                                        " of an argument is an address of the host");
      return;
    }
  }
}

void set_schedule(const char* text) { set_schedule(schedule_from(text)); }
const char* last_report() { return runtime().report.c_str(); }

}  // namespace heed::emulator

using namespace heed::emulator;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int device) {
  return device >= 0 && device < device_count() ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "emulated");
  properties->totalGlobalMem = kDeviceBytes;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  const Lock lock(runtime().mutex);
  *memory = allocate(bytes);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) {
  const Lock lock(runtime().mutex);
  finish_all();
  return release(memory) ? cudaSuccess : note(cudaErrorInvalidValue, "cudaFree of an address that is no block");
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const Lock lock(runtime().mutex);
  *free = free_bytes(), *total = kDeviceBytes;
  return cudaSuccess;
}

// From the host: the bytes are taken now, as CUDA does with memory that is not pinned. To the host: they come when
// somebody waits.
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const Lock lock(runtime().mutex);
  if (on_device(to, bytes) != (kind != cudaMemcpyDeviceToHost) ||
      on_device(from, bytes) != (kind != cudaMemcpyHostToDevice))
    return note(cudaErrorInvalidValue, "cudaMemcpyAsync: an end of it is not where `kind` says");
  if (kind == cudaMemcpyHostToDevice) {
    auto taken =
        std::make_shared<std::vector<char>>(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
    submit(stream, [to, taken] { std::memcpy(to, taken->data(), taken->size()); });
  } else {
    submit(stream, [to, from, bytes] { std::memmove(to, from, bytes); });
  }
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const Lock lock(runtime().mutex);
  runtime().streams.push_back(std::make_unique<EmulatedStream>());
  *stream = runtime().streams.back().get();
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Lock lock(runtime().mutex);
  work_off(*stream);
  for (size_t bytes; find_overrun(&bytes);)
    note(cudaErrorIllegalAddress,
         "a kernel has written behind the end of a block of " + std::to_string(bytes) + " bytes");
  return cudaGetLastError();
}

cudaError_t cudaGetLastError() {
  const Lock lock(runtime().mutex);
  return std::exchange(runtime().error, cudaSuccess);
}

const char* cudaGetErrorString(cudaError_t code) {
  switch (code) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    default: return last_report();
  }
}
