#include "attention/seeing/summaries.h"

#include <algorithm>
#include <bit>

#include "attention/seeing/visible_once.h"
#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/views.h"

namespace heed {
namespace {

// Where keys stand: own blocks of the queries from place 0 on, then, in tiles apart, the summaries of all blocks.
struct Places {
  const SummaryPattern& pattern;
  long T, S;
  bool causal;
  long first_token = (S - T) / pattern.block * pattern.block;  // of the own blocks
  long own = pattern.own > 0 ? S - first_token : 0;            // tokens of these
  long summaries = ceil_div(own, kPlanTile) * kPlanTile;       // the first place of a summary
  long blocks = pattern.from < pattern.heads ? ceil_div(S, pattern.block) : 0;

  long count() const { return blocks > 0 ? summaries + blocks * pattern.columns : own; }
  bool is_own(long place) const { return place < summaries; }

  int32_t token(long h, long place) const {
    const long offset = place - summaries, c = pattern.columns;
    const long token =
        is_own(place) ? first_token + place : offset / c * pattern.block + pattern.first_column(h) + offset % c;
    return token < S ? int32_t(token) : -1;
  }
  long block_of_query(long i) const { return (i + S - T) / pattern.block; }
  long block_of_key(long place) const {
    return is_own(place) ? (first_token + std::min(place, own - 1)) / pattern.block
                         : (place - summaries) / pattern.columns;
  }

  // A head that sees its own block has the summaries of the others only.
  bool sees(const PlanPair& at) const {
    const long query = block_of_query(at.i), key = block_of_key(at.j);
    if (is_own(at.j)) return pattern.sees_own(at.h) && query == key;
    return pattern.sees_summaries(at.h) && (!pattern.sees_own(at.h) || (causal ? key < query : key != query));
  }

  Cover covers(const PlanTile& at) const {
    const long low = block_of_query(at.first_query), high = block_of_query(at.last_query);
    const long first = block_of_key(at.first_key), last = block_of_key(at.last_key);
    const bool meet = first <= high && last >= low, own_too = pattern.sees_own(at.h);
    if (is_own(at.first_key)) {
      const bool later = first_token + at.first_key > at.last_query + S - T;
      if (!meet || !own_too || (causal && later)) return Cover::none;
      return low == high && first == last ? Cover::all : Cover::some;
    }
    if (!pattern.sees_summaries(at.h) || (causal && first > high)) return Cover::none;
    return meet && own_too ? Cover::some : Cover::all;
  }
};

// i32 (1, lists, blocks columns): all tokens of the lists, block by block
Tensor column_table(const ColumnLists& lists, long blocks) {
  std::vector<int32_t> tokens;
  for (const long first : lists.first)
    for (long block = 0; block < blocks; block++)
      for (long c = 0; c < lists.columns; c++) tokens.push_back(int32_t(block * lists.block + first + c));
  return from_vector(tokens, {1, long(lists.first.size()), blocks * lists.columns});
}

}  // namespace

bool SummaryPattern::sees(long h, long position, long key) const {
  const long column = key % block - first_column(h);
  return (sees_own(h) && position / block == key / block) || (sees_summaries(h) && column >= 0 && column < columns);
}

std::string SummaryPattern::text() const {
  std::string text;
  for (const long number : {block, columns, groups, heads, own, from}) text.append(" ").append(std::to_string(number));
  return text;
}

Summaries summaries_of(long T, long S, const SummaryPattern& pattern, bool causal) {
  const Places places{pattern, T, S, causal};
  const bool alike = pattern.own % pattern.heads == 0 && pattern.from % pattern.heads == 0;
  const long lists = alike ? 1 : pattern.heads;
  const long orders = pattern.groups > 1 ? pattern.heads : 1;
  std::vector<int32_t> tokens;
  for (long h = 0; h < orders; h++)
    for (long place = 0; place < places.count(); place++) tokens.push_back(places.token(h, place));
  return {plan_of_pairs(
              {T, places.count(), 1, lists}, [&](const PlanPair& pair) { return places.sees(pair); },
              [&](const PlanTile& tile) { return places.covers(tile); }),
          from_vector(tokens, {1, orders, places.count()})};
}

void look_at_columns(Visible& visible, const ColumnLists& lists, long blocks, long list, Context& ctx) {
  const Device device = visible.device;
  const long least = std::max(blocks, ceil_div(1024, lists.block)), places = blocks * lists.columns;
  const long made = long(std::bit_ceil(static_cast<unsigned long>(least)));
  const std::string name = "columns of " + lists.name + " " + std::to_string(made) + " on " + text_of(device);
  const auto table = ctx.plan<Tensor>(name, [&] { return to(column_table(lists, made), device); });
  const Tensor chosen = list == kEveryList ? *table : slice(*table, 1, list, list + 1);
  const long rest = ceil_div(places, kPlanTile) * kPlanTile - places;  // whole tiles: one plan serves many lengths
  visible.key_index = concatenate({slice(chosen, 2, 0, places), full({1, chosen.size(1), rest}, -1, i32, device)}, 2);
  visible.plan = ctx.plan<Plan>("one query and places " + std::to_string(places + rest), [&] {
    return plan_of_blocks({1, places + rest}, places + rest, {{.query = 0, .key = 0}});
  });
}

}  // namespace heed
