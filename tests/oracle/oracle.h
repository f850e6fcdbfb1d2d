// Oracles: what an attention variant is, said once more and by other means. Every registered variant has a file here,
// tests/oracle/<variant>.cpp ('-' becomes '_'), that puts an Oracle on the list; tests/attention/attention_test.cpp
// compares. An oracle takes the definition pair by pair and shares nothing with the code that plans and skips.
#pragma once

#include <string>
#include <vector>

#include "nn/mixing/registry.h"

// One score: query and key by their positions in a sequence of S tokens.
struct OraclePair {
  long h, i, j, S;
};

struct OracleScore {
  OraclePair pair;
  const heed::MixerOptions& sizes;
  bool causal;                         // is the mask?
  const std::vector<double>& q;        // the query's channels, (D)
  const std::vector<double>& k;        // and the key's
  const heed::Shape& shape;            // of the core's own parameter, if it has one,
  const std::vector<double>& learned;  // and its numbers
};

struct OracleEqual {
  std::string spec, full;    // gives the same as this spec of `full`,
  long longest = 1000;       // for sequences up to this length,
  bool only_causal = false;  // if the mask is causal
};

struct Oracle {
  std::string name;                // of the variant
  std::vector<std::string> specs;  // what to try besides the bare name
  bool (*sees)(const heed::VariantOptions& options, const OraclePair& pair);
  double (*bias)(const heed::VariantOptions& options, const OracleScore& score) = nullptr;  // added after scaling
  // in place of <q, k> / sqrt(D)
  double (*score)(const heed::VariantOptions& options, const OracleScore& score) = nullptr;
  std::vector<OracleEqual> equal_full = {};
};

// A static object of this type puts an oracle on the list.
inline constinit heed::Registry<Oracle> all_oracles{"oracle", "oracle"};
using RegisteredOracle = heed::Registration<all_oracles>;

heed::VariantOptions options_of(const std::string& spec);
