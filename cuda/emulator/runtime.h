// The runtime, as far as heed uses it: the functions of cuda_runtime.h under their own names, on memory of the host. A
// stream is a queue whose work is done when somebody waits for it.
#pragma once

#include <cstddef>
#include <functional>

#pragma GCC visibility push(hidden)

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchFailure = 719,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
using cudaStream_t = struct EmulatedStream*;
inline constexpr unsigned cudaStreamNonBlocking = 1;
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int major, minor;
};

cudaError_t cudaGetDeviceCount(int* count);  // 1, or HEED_EMULATED_DEVICES of the environment
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMalloc(void** memory, size_t bytes);  // full of NaN
cudaError_t cudaFree(void* memory);                   // waits for all streams before
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t code);

namespace heed::emulator {

using Work = std::function<void()>;
// Puts a grid into the stream's queue, if its shape is one that a GPU takes. kernel: what one thread does.
void submit_grid(const char* op, long blocks, int threads, cudaStream_t stream, Work kernel);
void submit(cudaStream_t stream, Work work);  // anything else: a product of the cuBLAS shim
// Notes an error if one of the words is an address of the host.
void check_argument(const char* op, const void* bytes, size_t size);

// For the tests of the emulator, and for cuda-test: which thread goes on first (see HEED_SCHEDULE), and what was found
// wrong since the last time: "softmax, block 3: threads wait at different barriers: ...", one per line.
void set_schedule(const char* text);
const char* last_report();

}  // namespace heed::emulator

#pragma GCC visibility pop
