// An attention variant as work to measure: queries, keys and values are there already, and what comes out is not
// projected, so that nothing is timed but what the variant itself does.
#pragma once

#include "bench/harness.h"

namespace heed::bench {

inline constexpr long kVariantHeads = 2, kVariantWidth = 64;  // H and D; B is 1

struct VariantForm {
  bool causal = false;
  bool projections = false;  // the whole layer: for a mixer whose projections are its own
  auto operator<=>(const VariantForm&) const = default;
};
// Causal where it can be; projections left out where it is a MultiHead.
VariantForm form_of(const std::string& spec);

struct VariantWork {
  double pairs = 0;  // of query and key that it weighs, over all heads; 0: it weighs no pairs
  Action forward;    // without a gradient
  Action both;       // forward and backward, with gradients that are new
};
VariantWork variant_work(const std::string& spec, long n, const VariantForm& form);

// The most bytes that are alive during the action, beyond those before it.
double peak_bytes(const Action& action);

// q, k, v, o and their gradients, in bytes: what any attention needs.
double least_bytes(long n);

}  // namespace heed::bench
