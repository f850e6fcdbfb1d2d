// Skeletons that most kernels share: an elementwise walk over a Loop, one thread per element, one block per row. With
// them the twin of a cpu kernel is a few lines: what is done to one element, or to one row.
#pragma once

#include <algorithm>

#include "cuda/port.h"
#include "system/ceil_div.h"
#include "tensor/loop.h"

namespace heed::cuda {

inline constexpr int kThreads = 256;             // of a block, where nothing else is better
inline constexpr long kMostBlocks = 1 << 16;     // a thread takes further elements beyond
inline constexpr long kEnoughThreads = 1 << 15;  // with so many, work need not be cut into smaller pieces

inline Grid grid_of(long elements) { return {std::min(ceil_div(elements, long(kThreads)), kMostBlocks), kThreads}; }

__device__ inline long first_element() { return long(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline long element_step() { return long(gridDim.x) * blockDim.x; }

// ---- a Loop in the form in which it goes to the device: by value, axes that are not there with one element

template <int Operands> struct Walk {
  int dims = 1;
  long numel = 0, sizes[kMaxDims] = {}, strides[Operands][kMaxDims] = {};

  explicit Walk(const Loop& loop) : dims(loop.sizes.dims()), numel(loop.numel) {
    for (int i = 0; i < dims; i++) {
      sizes[i] = loop.sizes[i];
      for (int k = 0; k < Operands; k++) strides[k][i] = loop.strides[k][i];
    }
  }
};

// Where element e stands in every operand. Divisions of 32 bits where they do: those of 64 cost more than most ops.
template <class Index, int Operands> __device__ void place(long* at, long e, const Walk<Operands>& walk) {
  Index rest = Index(e);
#pragma unroll
  for (int k = 0; k < Operands; k++) at[k] = 0;
  for (int i = walk.dims - 1; i > 0; i--) {
    const Index size = Index(walk.sizes[i]), index = rest % size;
    rest /= size;
#pragma unroll
    for (int k = 0; k < Operands; k++) at[k] += long(index) * walk.strides[k][i];
  }
#pragma unroll
  for (int k = 0; k < Operands; k++) at[k] += long(rest) * walk.strides[k][0];
}

template <int Operands, class Body> __global__ void walk_kernel(const Walk<Operands> walk, const Body body) {
  const bool small = walk.numel < (1L << 31);
  for (long e = first_element(); e < walk.numel; e += element_step()) {
    long at[Operands];
    if (small)
      place<uint32_t>(at, e, walk);
    else
      place<uint64_t>(at, e, walk);
    body(at);
  }
}

// body(at): does what is to be done to the element that stands at at[k] in operand k
template <int Operands, class Body> void walk(const char* op, const Loop& loop, const Body& body) {
  launch(op, walk_kernel<Operands, Body>, grid_of(loop.numel), Walk<Operands>(loop), body);
}

// ---- one thread per element

template <class Body> __global__ void elements_kernel(const long n, const Body body) {
  for (long e = first_element(); e < n; e += element_step()) body(e);
}

// body(e) for 0 <= e < n
template <class Body> void for_elements(const char* op, long n, const Body& body) {
  launch(op, elements_kernel<Body>, grid_of(n), n, body);
}

// ---- one block per row

template <class Row> __global__ void rows_kernel(const long rows, const Row row) {
  for (long r = blockIdx.x; r < rows; r += gridDim.x) row(r);
}

inline int threads_for(long cols) { return cols > 512 ? 256 : cols > 128 ? 64 : 32; }  // of a row

// row(r), by all threads of a block. A block may take several rows, one behind the other: what they share in shared
// memory needs a barrier at its end, as over_block has (reduce.cuh).
template <class Row> void for_rows(const char* op, long rows, int threads, const Row& row) {
  launch(op, rows_kernel<Row>, {std::min(rows, kMostBlocks), threads}, rows, row);
}

}  // namespace heed::cuda
