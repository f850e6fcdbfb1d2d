// The driver of Backend::cuda: memory, copies and one stream per device, on which everything happens in order. And the
// function with which the library starts (tensor/backend_library.h).
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cuda/port.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/device.h"

namespace heed::cuda {
namespace {

int device_count = 0;
thread_local int current = -1;  // the device that this thread has set

void use(int index) {
  if (current == index) return;
  check("device", "cudaSetDevice", cudaSetDevice(index));
  current = index;
}

cudaStream_t stream_of(int index) {
  static std::vector<cudaStream_t> streams = [] {
    std::vector<cudaStream_t> made(size_t(device_count), nullptr);
    for (int i = 0; i < device_count; i++) {
      use(i);
      check("device", "cudaStreamCreateWithFlags", cudaStreamCreateWithFlags(&made[size_t(i)], cudaStreamNonBlocking));
    }
    return made;
  }();
  use(index);
  return streams[size_t(index)];
}

void* allocate(int index, size_t bytes) {
  use(index);
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // it is told by our caller, and must not be found again
    return nullptr;
  }
  check("device", "cudaMalloc", code);
  return memory;
}

void release(int index, void* memory) {
  use(index);
  cudaFree(memory);
}

size_t free_bytes(int index) {
  use(index);
  size_t free = 0, total = 0;
  check("device", "cudaMemGetInfo", cudaMemGetInfo(&free, &total));
  return free;
}

void finish(int index) { check("cuda", "a kernel", cudaStreamSynchronize(stream_of(index))); }

void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  const bool in = from_device.backend == Backend::cpu, out = to_device.backend == Backend::cpu;
  const cudaMemcpyKind kind = in ? cudaMemcpyHostToDevice : out ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
  if (!in && !out && from_device.index != to_device.index) finish(from_device.index);  // it is in another queue
  const int index = in ? to_device.index : from_device.index;
  check("copy", "cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, kind, stream_of(index)));
  if (out || (!in && from_device.index != to_device.index)) finish(index);
}

std::string describe(int index) {
  cudaDeviceProp properties{};
  check("device", "cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, index));
  if (properties.major == 0) return properties.name;  // emulated
  return format("%s, sm_%d%d, %.1f GiB", properties.name, properties.major, properties.minor,
                double(properties.totalGlobalMem) / (1 << 30));
}

#ifdef __CUDACC__
__global__ void nothing_kernel() {}
#endif

// Why there is no device; empty: there is one.
std::string find_devices() {
  const cudaError_t code = cudaGetDeviceCount(&device_count);  // on failure the count is not written
  if (code == cudaErrorInsufficientDriver)
    return "there is no NVIDIA driver here, or it is older than the CUDA this was built with";
  if (code == cudaErrorNoDevice || (code == cudaSuccess && device_count == 0)) return "there is no NVIDIA GPU here";
  if (code != cudaSuccess) return format("cudaGetDeviceCount: %s (code %d)", cudaGetErrorString(code), int(code));
#ifdef __CUDACC__
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, nothing_kernel) != cudaSuccess) {
    cudaGetLastError();
    return "the kernels were built for other GPUs than " + describe(0) +
           "; make CUDA=1 CUDA_ARCH=NUMBER builds for one";
  }
#endif
  return "";
}

}  // namespace

cudaStream_t stream() { return stream_of(device_of_kernel().index); }

void check(const char* op, const char* call, cudaError_t code) {
  if (code == cudaSuccess) return;
  fail(op, call, ": ", cudaGetErrorString(code), " (code ", int(code), ")");
}

void launched(const char* op) {
  static const bool waits = [] {
    const char* text = std::getenv("HEED_CUDA_SYNC");
    return text && std::strcmp(text, "1") == 0;
  }();
  check(op, "launch", cudaGetLastError());
  if (waits) check(op, "kernel", cudaStreamSynchronize(stream()));
}

}  // namespace heed::cuda

extern "C" const char* heed_start_cuda(const void* slot, const char* version) {
  using namespace heed;
  static std::string reason;
  if (slot != &kernels::strided_copy)
    reason = "the library of cuda has slots of its own (was it built with -fvisibility=hidden?)";
  else if (std::strcmp(version, HEED_VERSION) != 0)
    reason = std::string("the library of cuda is that of heed " HEED_VERSION ", and this is ") + version;
  else
    reason = cuda::find_devices();
  if (!reason.empty()) return reason.c_str();
  register_driver(Backend::cuda, {.count = [] { return cuda::device_count; },
                                  .allocate = cuda::allocate,
                                  .release = cuda::release,
                                  .free_bytes = cuda::free_bytes,
                                  .copy = cuda::copy,
                                  .finish = cuda::finish,
                                  .describe = cuda::describe});
  return nullptr;
}
