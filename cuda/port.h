// The one place that knows who compiles us: nvcc for a GPU, or g++ for the emulator (cuda/emulator). What a .cu file of
// this folder needs of CUDA comes from here, and kernels are launched through here only:
//
//   launch("softmax", softmax_kernel<float>, {rows, 256}, y, x, cols);
//
// Rules for kernels, which the emulator and `make lint` look after: a block has 32 n threads; all lanes of a warp take
// part in a shuffle; no kernel counts on lanes that run in step; no block waits for another; shared memory is
// HEED_SHARED; no atomics on floats: sums have a fixed order.
#pragma once

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define HEED_SHARED(T, name, count) __shared__ T name[count]
#else
#include "cuda/emulator/emulator.h"
#endif

#include "system/error.h"

namespace heed::cuda {

cudaStream_t stream();  // of the device for which the kernel was asked: all its work and copies, one behind the other

// Throws if a call of the runtime went wrong: "adamw: cudaMalloc: out of memory (code 2)".
void check(const char* op, const char* call, cudaError_t code);

// With HEED_CUDA_SYNC=1 in the environment, waits for the kernel that was launched, so that an error names its op.
void launched(const char* op);

struct Grid {
  long blocks;
  int threads;  // of a block: a multiple of 32
};

// An empty grid is no work. What the kernel does wrong is told when somebody waits for it (finish in tensor/device.h).
template <class... Params, class... Args>
void launch(const char* op, void (*kernel)(Params...), const Grid& grid, const Args&... args) {
  if (grid.blocks == 0) return;
#ifdef __CUDACC__
  kernel<<<unsigned(grid.blocks), unsigned(grid.threads), 0, stream()>>>(Params(args)...);
#else
  emulator::launch(op, grid.blocks, grid.threads, stream(), kernel, Params(args)...);
#endif
  launched(op);
}

}  // namespace heed::cuda
