// Global tokens: those that all see and that see all. A variant says which by position, for all texts alike, and a
// batch may mark others, in each sample its own (Tokens::global).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/mixing/mask_once.h"

namespace heed {

struct GlobalPositions {
  long first = 0;             // the first so many tokens,
  std::vector<long> at = {};  // and those at these positions, rising

  bool holds(long p) const;
  long last() const;                                      // the largest; -1: there are none
  std::vector<long> between(long begin, long end) const;  // those from begin to end, rising
  std::string text() const;                               // for keys
};

// Those of a batch of T tokens each. Padding may be among them: masks hide it.
struct Globals {
  Tensor flags{};      // boolean (1 or B, T)
  Tensor index{};      // i32 (1 or B, P): rising, then -1
  Tensor rows{};       // the same on the device of the model, for rows_at and rows_added; undefined: P is 0
  Tensor marks{};      // what they were made from besides the positions; undefined: nothing
  std::string text{};  // of the positions

  long count() const { return index.size(1); }  // P: the most of a sample

  // What is made of them and of a mask, once for all layers of a batch, or for all batches of these sizes.
  template <class Value>
  std::shared_ptr<const Value> made(Context& ctx, const std::string& key, const Mask& mask,
                                    const std::function<Value()>& make) const {
    return made_once<Value>(ctx, text + " " + key, mask, make, marks);
  }
};

// T tokens from position `before` on; marks: boolean (1 or B, T), or undefined.
Globals globals_among(const GlobalPositions& positions, long before, long T, const Tensor& marks, Device device);
// The same once for all layers
std::shared_ptr<const Globals> globals_once(Context& ctx, const GlobalPositions& positions, long T, const Tensor& marks,
                                            Device device);

}  // namespace heed
