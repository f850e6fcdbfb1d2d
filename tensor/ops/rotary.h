// Rotary positions: queries and keys are rotated by angles that grow with their position, so that their dot product
// depends on how far they are apart and not on where they stand. (Su et al., 2021)
#pragma once

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

struct RotaryOptions {
  double base = 10000;      // pair i of D/2 rotates by base^(-2i/D) per position: from 1 down to about 1/base
  bool interleaved = true;  // pairs are (x_2i, x_2i+1); false: (x_i, x_{i + D/2}), the halves of GPT-NeoX and Llama
};

// x (..., T, D), D even. Row t stands at position p = offset + t (offset: how many tokens came before, for decoding).
// With w_i = base^(-2i/D) and (a, b) pair i of the row:
//   (a, b) -> (a cos(p w_i) - b sin(p w_i),  a sin(p w_i) + b cos(p w_i))
// For q and k, not for v. Lengths are preserved; the row at position 0 stays as it is.
Tensor rotary(const Tensor& x, long offset = 0, const RotaryOptions& options = {});
// dx = dy rotated back by the same angles
Tensor rotary_backward(const Tensor& dy, long offset = 0, const RotaryOptions& options = {});

// The cosines and then the sines of T positions from the offset on, (T, 2, D/2): to make them once and rotate often.
Tensor rotary_table(long T, long D, long offset = 0, double base = 10000, DType dtype = f32, Device device = cpu);
enum class Rotate { forwards, backwards };
// y = x rotated, or rotated back, by positions that were made beforehand: (T, 2, D/2), or (B, T, 2, D/2) if the samples
// of x (B, ..., T, D) differ. x and y may lie anywhere, with dense D.
void rotary_into(const Tensor& y, const Tensor& x, const Tensor& table, Rotate way, bool interleaved = true);

// The same from plain ops: the definition.
Tensor rotary_reference(const Tensor& x, long offset = 0, const RotaryOptions& options = {});

// For the backends: x and y lie by strides, with 1 in D.
struct RotaryLayout {
  Shape sizes;   // without D; the last one is T
  Strides x, y;  // elements between two rows, per axis
  long D = 0;
  bool interleaved = true;
  long tables = 1;  // one for all, or one for each of the first axis
};
namespace kernels {
// table (tables, T, 2, D/2): the cosines and then the sines of every position
template <class E> inline Kernel<void(E* table, long rows, long half, long offset, double base)> rotary_table{"rotary"};
template <class E>
inline Kernel<void(E* y, const E* x, const E* table, const RotaryLayout& layout, bool backwards)> rotary{"rotary"};
}  // namespace kernels

}  // namespace heed
