// Looking up rows of a table, and the gradient that adds rows back. Backward sorts the positions of the ids by id,
// stable, with a radix sort of 8 bits at a time that needs no atomics: a thread per digit walks over the ids of its
// tile. Then a block adds up the rows of dy that belong to one row of the table.
#include "tensor/ops/embedding.h"

#include "cuda/column_sums.cuh"

namespace heed::cuda {
namespace {

// table (V, C), ids (n), y (n, C)
template <class E> struct Lookup {
  E* y;
  const E* table;
  const int64_t* ids;
  long C;
  __device__ void operator()(long i) const {
    const E* from = table + ids[i] * C;
    for (long c = threadIdx.x; c < C; c += blockDim.x) y[i * C + c] = from[c];
  }
};

template <class E> void embedding(E* y, const E* table, const int64_t* ids, long n, long C) {
  for_rows("embedding", n, threads_for(C), Lookup<E>{y, table, ids, C});
}

// ---- sorting: one pass orders the positions by 8 bits of their ids, and leaves equal ones as they were

constexpr int kDigits = 256, kBits = 8;  // a block has one thread per digit
constexpr long kTile = 1024;             // positions of a block

struct Pass {
  int64_t* to;          // (n) positions
  const int64_t* from;  // (n); null: 0, 1, 2, ...
  int64_t* starts;      // (tiles, digits): how often the digit is there, then where the first of them goes to
  const int64_t* ids;
  long n, tiles;
  int shift;

  __device__ int64_t position(long k) const { return from ? from[k] : k; }

  // found(k) for the places k of a tile whose ids have this thread's digit, in order
  template <class Found> __device__ void for_own(long tile, const Found& found) const {
    HEED_SHARED(uint8_t, digit, kTile);
    const long first = tile * kTile;
    const int count = int(std::min(long(kTile), n - first));
    for (int j = threadIdx.x; j < count; j += kDigits) digit[j] = uint8_t(ids[position(first + j)] >> shift);
    __syncthreads();
    for (int j = 0; j < count; j++)
      if (digit[j] == threadIdx.x) found(first + j);
    __syncthreads();  // the next tile writes to digit again
  }
};

struct CountDigits : Pass {
  __device__ void operator()(long tile) const {
    int64_t count = 0;
    for_own(tile, [&](long) { count++; });
    starts[tile * kDigits + threadIdx.x] = count;
  }
};

struct AddCounts : Pass {  // one block
  __device__ void operator()(long) const {
    HEED_SHARED(int64_t, total, kDigits);
    int64_t start = 0;
    for (long tile = 0; tile < tiles; tile++) start += starts[tile * kDigits + threadIdx.x];
    total[threadIdx.x] = start;
    __syncthreads();
    start = 0;
    for (unsigned digit = 0; digit < threadIdx.x; digit++) start += total[digit];
    for (long tile = 0; tile < tiles; tile++) {
      int64_t& here = starts[tile * kDigits + threadIdx.x];
      const int64_t count = here;
      here = start;
      start += count;
    }
  }
};

struct MoveAll : Pass {
  __device__ void operator()(long tile) const {
    int64_t at = starts[tile * kDigits + threadIdx.x];
    for_own(tile, [&](long k) { to[at++] = position(k); });
  }
};

// begin[v]: how many ids are below v
void find_begins(const int64_t* ids, int64_t* begin, const int64_t* order, long n, long V) {
  for_elements("embedding", V + 1, [=] __device__(long v) {
    long low = 0, high = n;
    while (low < high) {
      const long middle = (low + high) / 2;
      if (ids[order[middle]] < v)
        low = middle + 1;
      else
        high = middle;
    }
    begin[v] = low;
  });
}

// The positions of the ids, sorted by id and in their order for equal ones: order (n), begin (V + 1).
struct Sorted {
  long n, V, tiles;
  int64_t *begin, *order, *other, *starts;

  Sorted(void* workspace, long n, long V)
      : n(n),
        V(V),
        tiles(ceil_div(n, kTile)),
        begin(static_cast<int64_t*>(workspace)),
        order(begin + V + 1),
        other(order + n),
        starts(other + n) {}

  void sort(const int64_t* ids) {
    const int64_t* from = nullptr;
    for (int shift = 0; shift == 0 || (V - 1) >> shift > 0; shift += kBits) {
      const Pass pass{other, from, starts, ids, n, tiles, shift};
      for_rows("embedding", tiles, kDigits, CountDigits{pass});
      for_rows("embedding", 1, kDigits, AddCounts{pass});
      for_rows("embedding", tiles, kDigits, MoveAll{pass});
      std::swap(order, other);
      from = order;
    }
    find_begins(ids, begin, order, n, V);
  }
};

long workspace(long n, long V) { return (V + 1 + 2 * n + ceil_div(n, kTile) * kDigits) * long(sizeof(int64_t)); }

// ---- adding up

// Some columns of dtable (V, C) from dy (n, C): a task is a row of the table and a part of it.
template <class E> struct AddRows {
  E* dtable;
  const E* dy;
  const int64_t *begin, *order;
  long C, parts, columns;  // of a row, of a part
  int width;               // columns that a block adds up side by side

  __device__ void operator()(long task) const {
    const long id = task / parts, first = task % parts * columns, last = std::min(first + columns, C);
    const long from = begin[id], to = begin[id + 1];
    if (from == to) {
      for (long c = first + threadIdx.x; c < last; c += blockDim.x) dtable[id * C + c] = 0;
      return;
    }
    for (long stripe = first; stripe < last; stripe += width) {
      const long c = stripe + threadIdx.x % unsigned(width);
      const E sum = sum_of_column<E>(from, c < last ? to : from, width, [&](long k) { return dy[order[k] * C + c]; });
      if (c < last && int(threadIdx.x) < width) dtable[id * C + c] = sum;
    }
  }
};

// If ids come back often, a row has many blocks; otherwise most rows are empty, and one is enough to clear it.
template <class E>
void embedding_backward(E* dtable, const E* dy, const int64_t* ids, long n, long V, long C, void* workspace) {
  Sorted sorted(workspace, n, V);
  sorted.sort(ids);
  const int width = power_of_two(C, 32);
  const long columns = n >= V ? width : C, parts = ceil_div(C, columns);
  for_rows("embedding", V * parts, kThreads,
           AddRows<E>{dtable, dy, sorted.begin, sorted.order, C, parts, columns, width});
}

const OnCuda embedding_workspace{[](auto set) { set(kernels::embedding_workspace_bytes, workspace); }};
const OnCuda embeddings{[]<class E>(auto set) {
  set(kernels::embedding<E>, embedding<E>);
  set(kernels::embedding_backward<E>, embedding_backward<E>);
}};

}  // namespace
}  // namespace heed::cuda
