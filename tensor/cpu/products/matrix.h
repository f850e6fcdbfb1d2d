// A matrix in memory, as the products of this folder take it: where it begins, how large it is, and how far its rows
// and columns are apart. A view copies nothing; its transpose and its blocks are views as well.
#pragma once

#include "tensor/ops/matmul.h"

namespace heed {

template <class E> struct MatrixView {
  E* data;
  long rows, columns;
  long row, column;  // element (i, j) lies at data[i * row + j * column]

  E& operator()(long i, long j) const { return data[i * row + j * column]; }
  MatrixView block(long i, long j, long m, long n) const { return {&(*this)(i, j), m, n, row, column}; }
  MatrixView some_rows(long first, long count) const { return block(first, 0, count, columns); }
  MatrixView some_columns(long first, long count) const { return block(0, first, rows, count); }
  MatrixView transposed() const { return {data, columns, rows, column, row}; }
  operator MatrixView<const E>() const { return {data, rows, columns, row, column}; }
};
template <class E> using ConstMatrix = MatrixView<const std::type_identity_t<E>>;  // E is known from another argument

// The first matrices of a (m, k) and b (k, n) of a product.
template <class E> MatrixView<const E> left_of(const E* a, const MatmulLayout& s) {
  return {a, s.m, s.k, s.a_transposed ? 1 : s.a_row, s.a_transposed ? s.a_row : 1};
}
template <class E> MatrixView<const E> right_of(const E* b, const MatmulLayout& s) {
  return {b, s.k, s.n, s.b_transposed ? 1 : s.b_row, s.b_transposed ? s.b_row : 1};
}

}  // namespace heed
