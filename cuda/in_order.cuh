// Adding (or writing) elements to places that a list of indices gives, in the order of the list: the same bits every
// time, and the cpu's. A thread has one column of the target, walks over the column's list and takes what falls into
// its range of places; so no two threads write to one place. Where there are few columns, many ranges give the GPU
// enough threads. Each of them reads the whole list, but there are never more than kEnoughThreads / columns of them.
#pragma once

#include <algorithm>

#include "cuda/walk.cuh"
#include "system/ceil_div.h"

namespace heed::cuda {

// Element p of the list is from[p * from_step], and goes to to[list[p * list_step] * to_step].
template <class To, class From, class Index> struct Column {
  To* to;
  From* from;
  const Index* list;
  long to_step, from_step, list_step;
};

struct InOrderSizes {
  long matrices = 1, places = 1, length = 1, width = 1;  // of the target (matrices, places, width); of a list
};

// The list is read some elements ahead: the loads do not wait for the writes.
template <class To, class From, class Index, class Body>
__device__ void walk_list(const Column<To, From, Index>& column, long length, long begin, long end, const Body& body) {
  constexpr int kAhead = 8;
  for (long p = 0; p < length; p += kAhead) {
    long place[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; i++) place[i] = p + i < length ? long(column.list[(p + i) * column.list_step]) : -1;
#pragma unroll
    for (int i = 0; i < kAhead; i++)
      if (place[i] >= begin && place[i] < end)
        body(column.to[place[i] * column.to_step], column.from[(p + i) * column.from_step]);
  }
}

template <class Columns, class Body>
__global__ void in_order_kernel(const InOrderSizes s, const long ranges, const Columns columns, const Body body) {
  const long range = ceil_div(s.places, ranges);  // places of one
  for (long e = first_element(); e < s.matrices * ranges * s.width; e += element_step()) {
    const long row = e / s.width, begin = row % ranges * range;
    walk_list(columns(row / ranges, e % s.width), s.length, begin, std::min(s.places, begin + range), body);
  }
}

// columns(n, c): the Column c of matrix n. body(to, from): what is done to a place and an element that goes there, from
// the list's first to its last. Indices below 0 are left out.
template <class Columns, class Body>
void in_order(const char* op, const InOrderSizes& s, const Columns& columns, const Body& body) {
  const long all = s.matrices * s.width;
  if (all == 0 || s.places == 0 || s.length == 0) return;
  const long ranges = std::clamp(kEnoughThreads / all, 1L, s.places);
  launch(op, in_order_kernel<Columns, Body>, grid_of(all * ranges), s, ranges, columns, body);
}

struct Add {
  template <class E> __device__ void operator()(E& to, const E& from) const { to += from; }
};

}  // namespace heed::cuda
