// Masked columns: what an encoder reads and which columns see each other, when it predicts some tokens of a text. Three
// objectives, of one factorisation with the unpredicted tokens U and the predicted ones T_0 .. T_(b-1), in their order:
//
//   mlm     log P(T_i | U, [M] at all predicted places)                   masked: BERT (Devlin et al., 2018)
//   plm     log P(T_i | U, T_0 .. T_(i-1))                                permuted: XLNet (Yang et al., 2019)
//   mpnet   log P(T_i | U, T_0 .. T_(i-1), [M] at the places of T_i ..)   both: MPNet (Song et al., 2020)
//
// mlm predicts each token as if it were the only one. plm knows those before, but not how long the text is. mpnet knows
// both: whatever is not yet known has a masked copy at its place, so that every row sees each place exactly once
// (position compensation).
//
// In two streams, content (which knows its own token) and query (which knows its place only) - and that is one sequence
// of columns, because nobody sees a query:
//
//   mpnet   K_0 .. K_(b-1) | U | T_0 .. T_(b-1) | Q_0 .. Q_(b-1)          K: masked copies; Q: the same again, queries
//   plm                      U | T_0 .. T_(b-1) | Q_0 .. Q_(b-1)          Q: always [MASK]
//
// In this order what a row sees is one range of columns (Mask::ranges), of n = b + c columns for every row of mpnet:
//
//   mpnet   Q_i: i .. i + n - 1       T_i: i + 1 .. i + n       K and U: 0 .. n - 1
//   plm     Q_i: 0 .. c + i - 1       T_i: 0 .. c + i           U: 0 .. c - 1
//
// So the mask has O(n) numbers, every attention that honours ranges can do it, and the model needs no second stream.
// Positions are those in the text (Tokens::positions), for learned ones and for biases by distance alike.
//
// mlm is the text with masked copies in place, in its own order: it wants nothing of an attention. It is the content
// stream of mpnet without T, and plm is mpnet without K: both come out equal (tests/models/objectives).
//
// Cost of n tokens, b of them predicted: mlm n columns, plm n + b, mpnet n + 2 b: at 15% 1.3 n. mpnet pays off where
// predicted tokens depend on each other; with one predicted token it is mlm.
#pragma once

#include <string>
#include <vector>

#include "models/objectives/factorisation.h"
#include "models/objectives/objective.h"

namespace heed {

enum class Masking { mlm, plm, mpnet };
const std::vector<std::string>& masking_names();
Masking masking_of(const std::string& name);  // throws a sentence that lists them

struct Column {
  enum class Kind { copy, visible, token, query };  // K, U, T, Q
  Kind kind;
  long position;     // in the text
  long predicted;    // the number of its token in the order of prediction; -1 of U
  long first, last;  // the columns that it sees, both included; none if last < first
};

struct Columns {
  std::vector<Column> all;
  std::vector<long> read;  // the columns from which the predicted tokens are told, in their order
};

Columns columns_of(Masking masking, const Factorisation& order);

struct MaskedText {
  std::vector<int64_t> ids = {};  // its tokens
  Factorisation order = {};
  std::vector<int64_t> copies = {};    // of the predicted tokens (drawn_copies)
  std::vector<int64_t> segments = {};  // the document of each token; empty: it is one
};

// Texts as a batch of columns, for MaskedTokens (masked_tokens.h): inputs, positions, ranges, segments and lengths as
// far as they are needed, and of each predicted token `read` and the target. Texts may differ in length. mask: [MASK],
// the queries of plm.
Batch masked_batch(Masking masking, const std::vector<MaskedText>& texts, int64_t mask);

}  // namespace heed
