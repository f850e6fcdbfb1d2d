// Which weights dropout keeps. The draw of a pair hangs on where the pair stands and on nothing else, neither on tiles
// nor on threads, so that every engine drops the same ones, and backward draws them again instead of keeping them:
//
//   pair (i, j) takes the 16-bit draw j % 8 of the Philox counter (site + head * 0x9E3779B9, sample, p, j / 8),
//   p = i + S - T the position of the query, and is kept iff the draw is >= round(65536 dropout)
#pragma once

#include "attention/engines/keep_kernels.h"
#include "tensor/tensor.h"

namespace heed {

// Boolean (B, H, end - begin, S) of the queries begin .. end. true: kept.
struct KeepRows {
  Shape B_H_T_S;
  long begin, end;
};
Tensor attention_keep(const KeepRows& rows, const RandomKey& key, double dropout, Device device);
Tensor attention_keep(const Shape& B_H_T_S, const RandomKey& key, double dropout);  // all of them, on the cpu

// The key of some heads of a whole: with it head 0 draws as head number first_head does with `key`.
RandomKey key_from_head(const RandomKey& key, long first_head);

}  // namespace heed
