// The emulator: what a .cu file needs of CUDA, for g++. Each thread of a block is a fiber, blocks run one after the
// other, and the host goes on while they wait in a queue, as with a GPU. It is made to find mistakes, not to be fast:
//
//   a missing barrier      one warp runs as far as it can before the next one may, in an order that can be chosen
//                          (HEED_SCHEDULE = forward, reverse, or random:SEED); shared memory begins full of NaN
//   a divergent barrier    threads that wait at different lines, or for one that has ended: told with file and line
//   out of bounds          new memory and the gap behind each block are full of NaN, the gap is looked at when a queue
//                          is empty; with AddressSanitizer every single access is looked at
//   a host pointer         the bytes of a launch's arguments are searched for addresses that are not the device's
//   a missing wait         work is done when somebody waits for it, not before; device memory is locked until then, so
//                          that the host that reads it gets a memory fault
//
// What it cannot find: speed, the order of memory between blocks, and what nvcc makes of the source.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda/emulator/runtime.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

#pragma GCC visibility push(hidden)  // each library has an emulator of its own: a program may hold two

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;  // of the fiber that runs

namespace heed::emulator {

enum class Scope { block, warp };
void wait(Scope scope, const std::source_location& where);  // until all threads of the scope have come here
void* shared(const void* key, size_t bytes);                // one per block and key, full of NaN at first
uint64_t* warp_slots();                                     // 32 of this warp, for the shuffle that is under way

// All lanes put their value down, wait, and take that of another one. The slots are two sets in turn: one wait will do.
template <class T> T shuffle(T value, unsigned lane, const std::source_location& where) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t* slots = warp_slots();
  std::memcpy(&slots[threadIdx.x % 32], &value, sizeof value);
  wait(Scope::warp, where);
  std::memcpy(&value, &slots[lane % 32], sizeof value);
  return value;
}

// The arguments of a launch, copied as CUDA copies them. Gaps between members are cleared: what is in them may look
// like an address.
template <class... Params>
void launch(const char* op, long blocks, int threads, cudaStream_t stream, void (*kernel)(Params...),
            std::remove_const_t<Params>... args) {
  static_assert((std::is_trivially_copyable_v<Params> && ...), "arguments of kernels are copied byte by byte");
  (__builtin_clear_padding(&args), ...);
  (check_argument(op, &args, sizeof args), ...);
  submit_grid(op, blocks, threads, stream,
              [kernel, values = std::tuple<std::remove_const_t<Params>...>(args...)] { std::apply(kernel, values); });
}

}  // namespace heed::emulator

inline void __syncthreads(std::source_location where = std::source_location::current()) {
  heed::emulator::wait(heed::emulator::Scope::block, where);
}
inline void __syncwarp(unsigned = 0xffffffffu, std::source_location where = std::source_location::current()) {
  heed::emulator::wait(heed::emulator::Scope::warp, where);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int with, std::source_location where = std::source_location::current()) {
  return heed::emulator::shuffle(value, (threadIdx.x % 32) ^ unsigned(with), where);
}
template <class T>
T __shfl_sync(unsigned, T value, int lane, std::source_location where = std::source_location::current()) {
  return heed::emulator::shuffle(value, unsigned(lane), where);
}
template <class T>  // lanes below `by` keep their own value
T __shfl_up_sync(unsigned, T value, unsigned by, std::source_location where = std::source_location::current()) {
  const unsigned lane = threadIdx.x % 32;
  return heed::emulator::shuffle(value, lane >= by ? lane - by : lane, where);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned by, std::source_location where = std::source_location::current()) {
  const unsigned lane = threadIdx.x % 32;
  return heed::emulator::shuffle(value, lane + by < 32 ? lane + by : lane, where);
}

#pragma GCC visibility pop

#define HEED_SHARED(T, name, count) \
  static const char name##_key = 0; \
  T* const name = static_cast<T*>(::heed::emulator::shared(&name##_key, sizeof(T) * (count)))
