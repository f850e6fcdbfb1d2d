// Positions that are added to x: what tells attention the order of its tokens. Each module maps (B, T, C) to
// (B, T, C); row t stands at position offset + t (offset: how many tokens came before, for decoding).
#pragma once

#include <vector>

#include "nn/context.h"
#include "nn/module.h"

namespace heed {

// (T, C): row t for p = offset + t holds sin(p w_i) in channel 2i and cos(p w_i) in channel 2i + 1, with
// w_i = 10000^(-2i/C). The dot product of two rows depends on their distance only (C even). Any offset, also below 0.
Tensor sinusoid_positions(long T, long C, long offset = 0, DType dtype = f32);

// x + sinusoid_positions: no parameters, any length.
class SinusoidPositions : public Module {
 public:
  Variable forward(const Variable& x, Context& ctx, long offset = 0);
  Variable forward(const Variable& x, const Tensor& positions);  // i64 (1 or B, T): each token's own

 private:
  Tensor table_;  // rows from first_ on, kept from call to call
  long first_ = 0;
};

// x + weight[offset .. offset + T): a learned row per position. Beyond max_length is an error.
class LearnedPositions : public Module {
 public:
  LearnedPositions(long max_length, long C, const Init& init = init::normal(0.02));
  Variable rows(long T, long offset = 0) const;  // (T, C)
  Variable forward(const Variable& x, Context& ctx, long offset = 0);
  Variable forward(const Variable& x, const Tensor& positions);  // i64 (1 or B, T): each token's own

  Variable& weight;  // (max_length, C)
};

// Learned rows per axis of a grid: position p of n = n_1 n_2 (n_3 ...) is (r_1, r_2, ...) in row-major order, for two
// axes r_1 = p / n_2 and r_2 = p mod n_2, and its vector is
//   concatenated (Reformer):              [E_1[r_1], E_2[r_2], ...], E_a is (n_a, channels_a), the channels sum to C
//   summed (Sparse, Axial Transformer):   E_1[r_1] + E_2[r_2] + ..., E_a is (n_a, C)
// For long sequences: 128 x 512 positions need 640 rows, not 65536. Shorter sequences use the first positions.
class AxialPositions : public Module {
 public:
  struct Options {
    Shape channels = {};  // of each axis; {}: equal parts of C. Not for sums
    bool sum = false;     // concatenated otherwise
    Init weight = init::normal(0.02);
  };

  AxialPositions(const Shape& sizes, long C) : AxialPositions(sizes, C, Options()) {}
  AxialPositions(const Shape& sizes, long C, const Options& options);
  Variable rows(long T, long offset = 0) const;  // (T, C)
  Variable forward(const Variable& x, Context& ctx, long offset = 0);
  Variable forward(const Variable& x, const Tensor& positions);  // i64 (1 or B, T): each token's own

 private:
  Variable at(const std::vector<int64_t>& positions, const Shape& shape) const;  // (*shape, C)
  Shape sizes_;
  long C_;
  bool sum_;
  std::vector<Variable*> tables_;  // "axis_0", "axis_1", ...
};

}  // namespace heed
