// Factorisation: which tokens of a text are predicted, and in which order; and what an encoder reads in their places.
// What masked and permuted objectives (masked_columns.h) begin with.
//
//   const Factorisation order = drawn_factorisation(ids.size(), 0.15, key);
//   const std::vector<int64_t> copies = drawn_copies(ids, order, {.V = 256, .mask = 256}, key);
//
// Of n tokens floor(0.15 n + 1/2) are predicted, at least one: the count is exact, and which they are, and in which
// order, is uniform. A special token is never predicted.
//
// In its masked copy a predicted token is the token [MASK] (80%), any other token (10%) or itself (10%): an encoder
// that never sees [MASK] later must not rely on it (BERT: Devlin et al., 2018). These counts are exact, too: of b
// copies there are floor or ceil of 0.8 b, drawn so that the mean over many texts is 0.8 b.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/random.h"

namespace heed {

struct Factorisation {
  std::vector<long> visible = {};    // positions that are not predicted, from left to right
  std::vector<long> predicted = {};  // the others, in the order of prediction
};

void check_predicted_share(const char* op, double share);  // throws unless it lies between 0 and 1
long predicted_count(long n, double share);

// special: for each token, is it one? Empty: none is. Throws a sentence if no token would be left to be seen.
Factorisation drawn_factorisation(long n, double share, const RandomKey& key, const std::vector<bool>& special = {});

struct CopyOptions {
  long V = 256;                       // random tokens are 0 .. V - 1
  int64_t mask = 256;                 // [MASK]
  double masked = 0.8, random = 0.1;  // shares; the rest keeps its token
};

// What stands in the masked copy of each predicted token, in the order of prediction.
std::vector<int64_t> drawn_copies(const std::vector<int64_t>& ids, const Factorisation& order,
                                  const CopyOptions& options, const RandomKey& key);

}  // namespace heed
