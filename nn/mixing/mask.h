// Mask: which keys a query may see; true = may attend, always. Parts are combined with &: a pair is visible if every
// part allows it. It speaks of keys only: that rows of padded queries come out as zeros is the mixer's work. Queries
// are the last T of S positions, so query i stands at position i + S - T (with T = S: at i). Its tensors are on the
// host, wherever the model computes: they are read there, and the makers below bring them there.
#pragma once

#include "tensor/tensor.h"

namespace heed {

struct Mask {
  bool causal = false;     // key position <= query position
  long window_left = -1;   // at most this many positions before the query's own; -1: no limit
  long window_right = -1;  // at most this many after it
  Tensor lengths{};        // (B,) i64: sample b has this many keys, the rest is padding; undefined: all
  Tensor segments{};       // (B, S) i64: tokens see only their own segment; undefined: one segment
  Tensor ranges{};  // (1 or B, T, 2) i64: query i sees the keys ranges[b, i, 0] .. ranges[b, i, 1], both included,
                    // none if first > last; they may reach beyond 0 .. S - 1. Undefined: all keys
  Tensor allow{};   // boolean, broadcasts to (B, H, T, S); undefined: everything

  struct Pair {
    long b, h, i, j;  // sample, head, query, key
  };
  bool sees(const Pair& pair, long T, long S) const;
  Tensor dense(long B, long H, long T, long S) const;  // boolean (B, H, T, S): for pictures and oracles

  bool of_batch() const;         // are there tensors in it? Otherwise it is the same for all batches
  std::string identity() const;  // equal texts: equal masks, as long as these tensors live

  // Throws unless the parts fit a batch of this size; `op` says who asks.
  void check(const char* op, long B, long H, long T, long S) const;
};

Mask causal_mask();
Mask window_mask(long left, long right);
Mask length_mask(const Tensor& lengths);
Mask segment_mask(const Tensor& segments);
Mask range_mask(const Tensor& ranges);  // one range of keys per query: O(n), where `allow` is O(n^2)
Mask allow_mask(const Tensor& allow);
Mask operator&(const Mask& a, const Mask& b);

}  // namespace heed
