// Rows by index: whole rows (a token's vector) are picked, or added up at their places. One index per row, where gather
// wants one per element: sorting tokens into buckets and bringing them back is two calls.
//
//   y[.., p, :] = x[.., index[.., p], :]                     rows_at
//   x[.., t, :] = sum of y[.., p, :] over index[.., p] = t   rows_added, its adjoint
//
// An index of -1 is nobody: rows_at puts zeros there, rows_added leaves the row out.
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// x (..., T, C); index i32 (..., P) with x's sizes in front, or 1 where one list serves all -> (..., P, C)
Tensor rows_at(const Tensor& x, const Tensor& index);
// y (..., P, C) -> (..., T, C). Rows of one place are added in the order of p, for any number of threads.
Tensor rows_added(const Tensor& y, const Tensor& index, long T);

// The same with an index for every element, by gather and scatter_add: the definition.
Tensor rows_at_reference(const Tensor& x, const Tensor& index);
Tensor rows_added_reference(const Tensor& y, const Tensor& index, long T);

// For the backends. One list of P indices belongs to each of the matrices that `lead` counts.
struct RowsLayout {
  long T = 0, P = 0, C = 0;
  Shape lead = {};               // the sizes in front of (T, C)
  Strides from = {}, list = {};  // elements from one matrix of the input, or list, to the next; 0: one list for all
  long from_row = 0;             // elements from one row of the input to the next; its channels are dense

  // Where matrix number n of the input and its list begin.
  long from_at(long n) const { return at(n, from); }
  long list_at(long n) const { return at(n, list); }
  long matrices() const { return lead.numel(); }

 private:
  long at(long n, const Strides& strides) const {
    long place = 0;
    for (int i = lead.dims() - 1; i >= 0; i--) {
      place += n % lead[i] * strides[i];
      n /= lead[i];
    }
    return place;
  }
};
namespace kernels {
// x by its layout -> y (lead, P, C) row-major. Elements are only moved: `bytes` is the size of one.
inline Kernel<void(void* y, const void* x, const int32_t* index, const RowsLayout& layout, long bytes)> rows_at{
    "rows_at"};
// y by its layout -> x (lead, T, C) row-major, zero before the call
template <class E>
inline Kernel<void(E* x, const E* y, const int32_t* index, const RowsLayout& layout)> rows_added{"rows_added"};
}  // namespace kernels

}  // namespace heed
