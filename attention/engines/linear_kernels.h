// What a backend is told about linear attention (linear_engine.h): pointers, sizes and strides, and the slots that it
// fills. No Tensor and no gradient machinery is needed to read this.
//
// The work is a list of pieces per sample. A kernel walks over the list and carries the sums S and z along:
//
//   a piece with queries   they see the sums, and of the keys of the same piece those up to their own place
//   a piece with keys      they are added to the sums, behind its queries
//   a fresh piece          the sums are zeros before it
//
// Causal attention has keys and queries in the same pieces; otherwise all the keys come first, then the queries.
// Lengths and segments are in the list too: padding is in no piece, and a segment begins with a fresh one.
#pragma once

#include <cstdint>
#include <limits>

#include "attention/engines/token_layout.h"
#include "tensor/kernel.h"

namespace heed {
namespace kernels {

inline constexpr long kLinearPiece = 64;  // keys or queries

struct LinearPiece {
  int32_t key, keys;       // the rows key .. key + keys of k and v
  int32_t query, queries;  // the rows of q; if there are keys too, there are as many, and query r sees keys 0 .. r
  long fresh;              // 0 or 1
  long before;             // tokens in the pieces before it
};

struct LinearSizes {
  long B, H, Hk;  // samples, heads of queries, heads of keys and values
  long T, S;      // queries, keys
  long F, Dv;     // features of q and k, channels of v
};

struct LinearStrides {
  TokenStrides q, k, v, o;        // dy has those of o
  TokenStrides dq{}, dk{}, dv{};  // in backward
};

struct LinearProblem {
  LinearSizes sizes;
  LinearStrides stride;
  double epsilon;
  bool begins_with_sums, gives_sums;  // are those of the operands, and of the results, there?
  const LinearPiece* pieces;  // of all samples, one behind the other; null: there is one, for all, and it is `only`
  const int64_t* begin;       // (B + 1): the pieces of sample b are begin[b] .. begin[b + 1]; null: all samples share
  long shared = 0;            // these many
  LinearPiece only{};

  struct List {
    const LinearPiece* data;
    long count;
  };
  List of(long b) const {
    if (!pieces) return {&only, shared};
    return begin ? List{pieces + begin[b], begin[b + 1] - begin[b]} : List{pieces, shared};
  }
};

// 1 / (sum + epsilon). Without epsilon a denominator of 0, or so small that its inverse may overflow, gives 0: the
// result is defined as zeros then.
template <class E> constexpr E inverse_of(E sum, E epsilon) {
  if (epsilon == 0 && (sum < 0 ? -sum : sum) < std::numeric_limits<E>::min()) return 0;
  return 1 / (sum + epsilon);
}

template <class E> struct LinearOperands {
  const E *q, *k, *v;  // (B, H, T, F), (B, Hk, S, F), (B, Hk, S, Dv), by their strides
  const E* sums;       // (B, Hk, F, Dv + 1), before the first piece: S, and z as the last column; null: zeros
};
template <class E> struct LinearResults {
  E* o;        // (B, H, T, Dv) by its strides
  E* inverse;  // (B, H, T): of the denominator, 0 where the result is defined as zeros; null: not wanted
  E* sums;     // as the operand, behind the last piece; may be the operand itself; null: not wanted
};
template <class E>
inline Kernel<void(const LinearResults<E>& out, const LinearOperands<E>& in, const LinearProblem& p, void* workspace)>
    linear_attention{"linear_attention"};

template <class E> struct LinearSaved : LinearOperands<E> {
  const E *o, *inverse;  // of forward
};
template <class E> struct LinearGradients {
  E *dq, *dk, *dv;  // as q, k, v by their strides; what is in no piece is not touched
};
// dy as o
template <class E>
inline Kernel<void(const LinearGradients<E>& grads, const E* dy, const LinearSaved<E>& saved, const LinearProblem& p,
                   void* workspace)>
    linear_attention_backward{"linear_attention"};

// Bytes
template <class E> inline Kernel<long(const LinearProblem& p)> linear_attention_workspace{"linear_attention"};
template <class E> inline Kernel<long(const LinearProblem& p)> linear_attention_backward_workspace{"linear_attention"};

}  // namespace kernels
}  // namespace heed
