// Blocks with summary columns: a sequence in blocks of l tokens, written as rows under each other, of which some
// columns are seen by all queries. In memory a column's tokens lie l apart, so here they get places side by side,
// behind the tokens of the queries' own blocks, and fill whole tiles:
//
//   l = 4, c = 1, 8 tokens:   own 0 1 2 3 4 5 6 7 | summaries 3 7        in places 0 .. 7 and 64, 65
//
// The places are an index (Visible::key_index), so mask, biases and dropout still speak of tokens. Heads differ in
// which columns they look at: these are all that an index needs to tell, and one plan serves them.
#pragma once

#include "attention/seeing/plan.h"
#include "nn/context.h"

namespace heed {

struct SummaryPattern {
  long block = 128;   // l: tokens in a block
  long columns = 32;  // c: summaries in it
  long groups = 1;    // head h sees the columns l - (g + 1) c .. l - g c - 1, g = h mod groups
  long heads = 1;
  // Heads 0 .. own - 1 see their own block, those from `from` on the summaries of all; who has both, each key once
  long own = 1, from = 0;

  bool sees_own(long h) const { return h < own; }
  bool sees_summaries(long h) const { return h >= from; }
  long first_column(long h) const { return block - (h % groups + 1) * columns; }
  bool sees(long h, long position, long key) const;
  std::string text() const;  // its numbers, for keys of plans
};

struct Summaries {
  Plan plan;    // one list, or one for each head if they differ in more than their columns
  Tensor keys;  // i32 (1, 1 or heads, places): the token at each place, -1: none
};

// Of T queries, the last of S tokens. causal: tiles of later keys are left out; the mask hides what is left of them.
Summaries summaries_of(long T, long S, const SummaryPattern& pattern, bool causal);

// ---- for a single query, as in decoding

// Lists of columns: list n has the columns first[n] .. first[n] + columns - 1 of all blocks.
struct ColumnLists {
  std::string name;  // that no others have, for ctx
  long block, columns;
  std::vector<long> first;
};

// Sets plan and key_index of `visible` to the keys of the blocks 0 .. blocks - 1 in the columns of all lists, one for
// each head, or in those of one list. They are cut from a table that ctx keeps on the device: it is made again only
// when the text has doubled, so that a token brings nothing from the host but itself.
void look_at_columns(Visible& visible, const ColumnLists& lists, long blocks, long list, Context& ctx);
inline constexpr long kEveryList = -1;

}  // namespace heed
