// Oracles: what an attention variant is, said once more and by other means. Every registered variant has a file here,
// tests/oracle/<variant>.cpp ('-' becomes '_'), that puts an Oracle on the list; the properties in tests/attention hold
// the variant to it. An oracle takes the definition, and shares nothing with the code that plans and skips.
//
// Most variants are softmax attention over some of the pairs, between projections that all share: for these `sees` is
// enough. What is another formula says the whole of it, `dense`, with plain ops on all pairs. Gradients come from the
// graph, so that an oracle gives them too, and in f32 as well as in f64: that is how far off a plain computation is.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nn/mixing/registry.h"

// Heads of keys serve two heads of queries each, and queries and values differ in width.
inline const heed::MixerOptions kOracleSizes{.C = 10, .heads = 4, .key_heads = 2, .head_width = 3, .value_width = 5};

// One pair: query and key by their positions in a sequence of S tokens.
struct OraclePair {
  long h, i, j, S;
};
using Sees = std::function<bool(const OraclePair&)>;

// One mixer under one mask, in the type in which the formula is to be computed.
struct OracleCase {
  const heed::VariantOptions& options;
  const heed::MixerOptions& sizes;  // complete: no width is 0
  heed::Mixer& mixer;
  heed::Mask mask;
  heed::DType dtype;
  std::map<std::string, heed::Variable> parameters = {};  // by path, leaves of their own: copies in this type

  OracleCase(const heed::VariantOptions& options, const heed::MixerOptions& sizes, heed::Mixer& mixer,
             const heed::Mask& mask, heed::DType dtype);
  heed::Variable parameter(const std::string& path) const;  // undefined: there is none
};

// Queries, keys and values of all heads, as many of keys and values as of queries: (B, H, T, D), (B, H, S, D) and
// (B, H, S, Dv). Without projections to queries or keys these are undefined, or the queries.
struct OracleHeads {
  heed::Variable q = {}, k = {}, v = {};
};

struct DenseAttention {
  heed::Variable out;           // (B, T, C)
  heed::Variable weights = {};  // (B, H, T, S); undefined: it has none
};

struct OracleEqual {
  std::string spec, full;                         // gives the same as this spec of another variant,
  long longest = 1000;                            // for sequences up to this length,
  bool only_causal = false;                       // if the mask is causal,
  void (*prepare)(heed::Mixer& mixer) = nullptr;  // when parameters that the other does not have are set to this
};

// An error of public code of this variant that was known when the oracle was written, in our words: the atlas tells it.
struct PublicError {
  std::string where;     // by its kind, not by its name: "a public benchmark"
  std::string what;      // half a sentence: "groups tokens by i mod b in place of i / b"
  std::string found_by;  // the property that fails for such a mixer
};

struct Oracle {
  std::string name;                     // of the variant
  std::vector<std::string> specs = {};  // what to try besides the bare name
  // Which pairs are seen under no mask. Options are read once, when the predicate is made.
  Sees (*sees)(const OracleCase&) = nullptr;
  heed::Variable (*score)(const OracleCase&, const OracleHeads&) = nullptr;  // (B, H, T, S), not <q, k> / sqrt(D)
  heed::Variable (*bias)(const OracleCase&, const OracleHeads&) = nullptr;   // added to it; undefined: nothing
  // The whole formula in place of all these; source: undefined for self-attention. `sees` may still be there.
  DenseAttention (*dense)(const OracleCase&, const heed::Variable& x, const heed::Variable& source) = nullptr;
  heed::MixerOptions sizes = kOracleSizes;
  std::vector<heed::MixerOptions> other_sizes = {
      {.C = 12, .heads = 3},
      {.C = 6, .heads = 1, .bias = false},
      {.C = 7, .heads = 5, .key_heads = 1, .head_width = 2},
      {.C = 4, .heads = 6, .key_heads = 3, .head_width = 1, .value_width = 8}};
  std::vector<std::string> with_kinks = {};        // specs whose slope jumps somewhere (relu)
  std::vector<std::string> without_gradient = {};  // paths of parameters that no loss moves
  std::vector<OracleEqual> equal_full = {};
  long cost_length = 0;  // tokens from which on costs grow as declared; 0: as usual
  std::vector<PublicError> public_errors = {};
  bool example = false;  // a variant of the tests alone: no result of its is published
};

// A static object of this type puts an oracle on the list.
inline constinit heed::Registry<Oracle> all_oracles{"oracle", "oracle"};
using RegisteredOracle = heed::Registration<all_oracles>;

Sees every_pair(const OracleCase& c);  // for Oracle::sees: every query sees every key
heed::VariantOptions options_of(const std::string& spec);
heed::MixerOptions complete(heed::MixerOptions sizes);  // widths of 0 become what they stand for
