// Products of bf16 on a CPU without units for them: both operands are widened to f32, row-major and one matrix behind
// the other, and then multiplied as f32 are. Widening is a pass over the operands, O(m k + k n) beside the product's
// O(m n k), and exact: the result has the bits of the f32 product.
#include <bit>

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"
#include "tensor/ops/matmul.h"

namespace heed {
namespace {

// The matrices of one operand in memory
struct Operand {
  long rows, columns, row;
  const Shape& batch;
  const Strides& strides;

  long count() const {  // different ones: where it is broadcast there is one
    long n = 1;
    for (int i = 0; i < batch.dims(); i++) n *= strides[i] == 0 ? 1 : batch[i];
    return n;
  }
  Strides dense_strides() const {
    Strides dense = Strides::filled(batch.dims(), 0);
    long next = rows * columns;
    for (int i = batch.dims() - 1; i >= 0; i--)
      if (strides[i] != 0) dense[i] = next, next *= batch[i];
    return dense;
  }
  long offset(long matrix) const {
    long at = 0;
    for (int i = batch.dims() - 1; i >= 0; i--)
      if (strides[i] != 0) at += matrix % batch[i] * strides[i], matrix /= batch[i];
    return at;
  }
  long bytes() const { return ceil_div(count() * rows * columns * long(sizeof(float)), 64) * 64; }

  void widen(float* to, const BFloat16* from) const {
    parallel_for(count() * rows, rows_grain(columns), [&](long begin, long end) {
      for (long task = begin; task < end; task++) {
        const BFloat16* source = from + offset(task / rows) + task % rows * row;
        for (long c = 0; c < columns; c++)
          to[task * columns + c] = std::bit_cast<float>(uint32_t(source[c].bits) << 16);
      }
    });
  }
};

Operand a_of(const MatmulLayout& s) {
  return {s.a_transposed ? s.k : s.m, s.a_transposed ? s.m : s.k, s.a_row, s.batch, s.a_batch};
}
Operand b_of(const MatmulLayout& s) {
  return {s.b_transposed ? s.n : s.k, s.b_transposed ? s.k : s.n, s.b_row, s.batch, s.b_batch};
}

MatmulLayout widened(const MatmulLayout& s) {
  MatmulLayout dense = s;
  dense.a_row = a_of(s).columns, dense.a_batch = a_of(s).dense_strides();
  dense.b_row = b_of(s).columns, dense.b_batch = b_of(s).dense_strides();
  return dense;
}

long workspace_bytes(const MatmulLayout& s) {
  return a_of(s).bytes() + b_of(s).bytes() + kernels::matmul_workspace_bytes<float>(cpu)(widened(s));
}

void matmul_bf16_cpu(float* c, const BFloat16* a, const BFloat16* b, const float* bias, const MatmulLayout& s,
                     void* workspace) {
  auto* memory = static_cast<char*>(workspace);
  auto *wide_a = reinterpret_cast<float*>(memory), *wide_b = reinterpret_cast<float*>(memory + a_of(s).bytes());
  a_of(s).widen(wide_a, a), b_of(s).widen(wide_b, b);
  const MatmulLayout dense = widened(s);
  const bool more = kernels::matmul_workspace_bytes<float>(cpu)(dense) > 0;
  kernels::matmul<float>(cpu)(c, wide_a, wide_b, bias, dense,
                              more ? memory + a_of(s).bytes() + b_of(s).bytes() : nullptr);
}

const OnCpu matmul_bf16{[](auto set) {
  set(kernels::matmul_bf16_workspace_bytes, workspace_bytes);
  set(kernels::matmul_bf16, matmul_bf16_cpu);
}};

}  // namespace
}  // namespace heed
