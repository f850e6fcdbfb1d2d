// How many pairs of query and key an attention looks at: what its work is held against. While a PairCounter lives, the
// engines tell it what they were given in its thread, so that any mixer can be counted, whatever calls it is made of:
//
//   const PairCounter counter;
//   mixer->forward(x, in, ctx);
//   const double pairs = counter.pairs();  // of all samples and heads; 0: it weighs no pairs (linear attention)
#pragma once

#include "attention/seeing/visible.h"

namespace heed {

// Exact. Ranges alone take O(H T); what has a plan, labels or single pairs is asked pair by pair, but only in the tiles
// of the plan and inside of the ranges.
double pair_count(const Visible& visible);

class PairCounter {
 public:
  PairCounter();
  ~PairCounter();
  PairCounter(const PairCounter&) = delete;
  PairCounter& operator=(const PairCounter&) = delete;

  double pairs() const { return pairs_; }

  static void note(const Visible& visible);  // for engines; does nothing while nobody counts

 private:
  PairCounter* outer_;  // the one that counted before
  double pairs_ = 0;
};

}  // namespace heed
