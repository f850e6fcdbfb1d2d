// Visible: which keys a query sees, in the form in which the engines read it. What a mask says is nearly always a
// range: causal, a window, a block, padding, one document among others are all "the keys first..last", and where ranges
// meet is a range again. What is no range is a label: a pair is visible only if query and key have the same (the
// residues of a dilated window, segments that come back later). Patterns that are neither have a plan of tiles
// (plan.h); everything else is a table of pairs. A pair is seen if all of these allow it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "attention/engines/softmax_kernels.h"
#include "nn/mixing/mask.h"

namespace heed {

struct Plan;

// A pattern of positions, which a variant adds to the mask. Query i stands at position p = i + S - T.
struct Pattern {
  long window_left = -1, window_right = -1;  // how many keys before and after p, in steps of `dilation`; -1: no limit
  long dilation = 1;                         // only keys whose distance is a multiple of it
  long block = 0;  // > 0: positions are cut into blocks of this size, and a query sees its own,
  long blocks_back = 0, blocks_forward = 0;  // so many before it and so many after it,
  long margin_left = 0, margin_right = 0;    // and so many tokens beyond these on either side
  long first_key = 0;                        // the position of key 0, if those before it are forgotten

  KeyRange range(long p, long S) const;  // the keys in reach of a query at p, before dilation
  bool sees(long p, long j) const;
};

// Which token is at each place of an index, read once: for pictures and references.
struct PlaceTokens {
  std::vector<int32_t> tokens;
  long samples = 1, heads = 1, count = -1;  // one list for all samples or heads, or one each; -1: places are tokens

  explicit PlaceTokens(const Tensor& index);  // undefined: places are tokens
  long at(long b, long h, long place) const;  // -1: the place is empty
};

// Made on the host, where masks and plans are, and moved to the device where it is used. The ranges of a single query,
// as in decoding, stay on the host: kernels get them by value.
struct Visible {
  long B = 0, H = 0, T = 0, S = 0;
  Tensor first{}, last{};               // i32 (1 or B, 1 or H, T): query i sees the keys first[i]..last[i]
  Tensor query_labels{}, key_labels{};  // i32 (B or 1, T) and (B or 1, S); undefined: all have the same
  Tensor allow{};                       // boolean, broadcasts to (B, H, T, S); undefined: everything
  std::shared_ptr<const Plan> plan{};   // null: every tile
  // With a plan: the token in each place of its tiles, i32 (1 or B, 1 or H, places); undefined: places are tokens. All
  // but the plan is by tokens, and what engines return by places (plan.h).
  Tensor query_index{}, key_index{};

  bool indexed() const { return query_index.defined() || key_index.defined(); }
  long query_places() const;  // T, unless there is an index
  long key_places() const;

  Visible on(Device device) const;  // itself if it is there already

  // The tensors behind it that somebody may write to: an engine whose backward reads them keeps them as Saved.
  std::vector<Tensor> tensors() const;

  // Throws unless plan and indices fit each other and B, H, T and S. Numbers of an index that was made on another
  // device are checked there, by the engine.
  void check(const char* op) const;

  Tensor dense() const;                      // boolean (B, H, T, S), by places: for pictures and references
  Tensor dense(long begin, long end) const;  // its rows begin .. end; expanded where heads or samples are alike
  bool by_value() const { return T == 1 && first.numel() <= kFewRanges; }

  Device device = cpu;
};

// What both the mask and the pattern allow. Throws if the mask does not fit.
Visible visible_pairs(const char* op, const Mask& mask, const Pattern& pattern, const Shape& B_H_T_S);

// What the mask leaves of one range of keys for each sample and query: for patterns of the data, and for keys that are
// no tokens (slots of a compressed memory, spans). A range may reach beyond 0 .. S - 1. Query i of the mask stands at
// position i + S - T of the keys here too. Throws if the mask does not fit.
using KeysOfQuery = std::function<KeyRange(long b, long i)>;
Visible visible_ranges(const char* op, const Shape& B_H_T_S, const Mask& mask, const KeysOfQuery& keys);
// The same with a range for each head and query, alike in all samples
using KeysOfHead = std::function<KeyRange(long h, long i)>;
Visible visible_ranges_by_head(const char* op, const Shape& B_H_T_S, const Mask& mask, const KeysOfHead& keys);

// Some of the queries, without a plan: row p is query index[.., p], index i32 (1 or B, P); -1 sees nothing.
Visible of_queries(const Visible& all, const Tensor& index);

}  // namespace heed
