#include "attention/seeing/plan.h"

#include <algorithm>
#include <map>

#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

// The places of a tile that exist: bits 0 .. count
uint64_t low_bits(long count) { return count >= kPlanTile ? ~uint64_t(0) : (uint64_t(1) << std::max(0L, count)) - 1; }
long tiles_of(long places) { return ceil_div(places, kPlanTile); }

// Collects entries row by row. Bits that say nothing become kFull, those that let nothing through no entry at all.
class Writer {
 public:
  explicit Writer(const PlanShape& shape) {
    HEED_CHECK(shape.T >= 0 && shape.S >= 0 && shape.samples >= 1 && shape.heads >= 1, "plan", "T is ", shape.T,
               ", S is ", shape.S, ", samples is ", shape.samples, " and heads is ", shape.heads,
               "; sizes must be 0 or more, and there must be at least one list");
    plan_.shape = shape;
  }
  void full(long key_tile) { add(key_tile, Plan::kFull); }
  void partial(long query_tile, long key_tile, const TileBits& bits) {
    if (bits == TileBits{}) return;
    const long keys = std::min(kPlanTile, plan_.shape.S - key_tile * kPlanTile);
    const uint64_t all = low_bits(plan_.shape.T - query_tile * kPlanTile);
    if (std::all_of(bits.begin(), bits.begin() + keys, [&](uint64_t word) { return word == all; }))
      return full(key_tile);
    const auto [at, fresh] = known_.try_emplace(bits, int32_t(plan_.tiles.size()));
    if (fresh) plan_.tiles.push_back(bits);
    add(key_tile, at->second);
  }
  void end_row() { plan_.begin.push_back(int64_t(plan_.key_tile.size())); }
  Plan take() { return std::move(plan_); }

 private:
  void add(long key_tile, int32_t bits) { plan_.key_tile.push_back(int32_t(key_tile)), plan_.bits.push_back(bits); }

  Plan plan_;
  std::map<TileBits, int32_t> known_;
};

TileBits asked(const SeesPair& sees, const PlanTile& at) {
  TileBits bits{};
  for (long j = at.first_key; j <= at.last_key; j++)
    for (long i = at.first_query; i <= at.last_query; i++)
      bits[size_t(j - at.first_key)] |= uint64_t(sees({at.b, at.h, i, j})) << (i - at.first_query);
  return bits;
}

// Calls row(b, h, query tile) for all of them.
template <class F> void for_rows(const PlanShape& shape, F&& row) {
  for (long b = 0; b < shape.samples; b++)
    for (long h = 0; h < shape.heads; h++)
      for (long t = 0; t < tiles_of(shape.T); t++) row(b, h, t);
}

PlanTile tile_at(const PlanShape& shape, long b, long h, long query_tile, long key_tile) {
  const long i = query_tile * kPlanTile, j = key_tile * kPlanTile;
  return {b, h, i, std::min(i + kPlanTile, shape.T) - 1, j, std::min(j + kPlanTile, shape.S) - 1};
}

// In a tile the queries first_query .. last_query see the keys first_key .. last_key.
void let_through(TileBits& bits, const PlanTile& tile, const PlanTile& seen) {
  const long low = std::max(tile.first_query, seen.first_query), high = std::min(tile.last_query, seen.last_query);
  const uint64_t queries = low_bits(high - tile.first_query + 1) & ~low_bits(low - tile.first_query);
  for (long j = std::max(tile.first_key, seen.first_key); j <= std::min(tile.last_key, seen.last_key); j++)
    bits[size_t(j - tile.first_key)] |= queries;
}

// The places that a block covers; throws if it is not there.
PlanTile covered(const PlanShape& shape, long block, const PlanBlock& at) {
  const auto there = [block](long number, long places) {  // asked before it is multiplied, which may overflow
    return number >= 0 && places > 0 && number <= (places - 1) / block;
  };
  HEED_CHECK(at.b >= 0 && at.b < shape.samples && at.h >= 0 && at.h < shape.heads && there(at.query, shape.T) &&
                 there(at.key, shape.S),
             "plan_of_blocks", "block (", at.query, ", ", at.key, ") of sample ", at.b, " and head ", at.h,
             " is not there: T is ", shape.T, ", S is ", shape.S, " with blocks of ", block, ", and there are ",
             shape.samples, " samples and ", shape.heads, " heads");
  const auto last = [block](long number, long places) { return std::min((number + 1) * block, places) - 1; };
  return {at.b, at.h, at.query * block, last(at.query, shape.T), at.key * block, last(at.key, shape.S)};
}

// The part of a rectangle that exists; it may be empty.
PlanTile inside(const PlanShape& shape, const PlanTile& given) {
  return {given.b,
          given.h,
          std::max(given.first_query, 0L),
          std::min(given.last_query, shape.T - 1),
          std::max(given.first_key, 0L),
          std::min(given.last_key, shape.S - 1)};
}

// Calls tile(query tile, key tile) for all that it touches.
template <class F> void for_tiles(const PlanTile& seen, F&& tile) {
  if (seen.first_query > seen.last_query || seen.first_key > seen.last_key) return;
  for (long t = seen.first_query / kPlanTile; t <= seen.last_query / kPlanTile; t++)
    for (long k = seen.first_key / kPlanTile; k <= seen.last_key / kPlanTile; k++) tile(t, k);
}

PlanTensors moved(const Plan& plan, Device device) {
  std::vector<int64_t> words;
  for (const TileBits& tile : plan.tiles) words.insert(words.end(), tile.begin(), tile.end());
  const auto there = [device](const auto& values, const Shape& shape) {
    return to(from_vector(values, shape), device);
  };
  return {there(plan.begin, {long(plan.begin.size())}), there(plan.key_tile, {long(plan.key_tile.size())}),
          there(plan.bits, {long(plan.bits.size())}), there(words, {long(plan.tiles.size()), kPlanTile})};
}

// Blocks of whole tiles: every tile is FULL, and there are no bits to collect.
Plan plan_of_whole_tiles(const PlanShape& shape, long block, const std::vector<PlanBlock>& blocks) {
  Writer to(shape);
  std::vector<std::pair<long, long>> entries;  // row and tile of keys
  for (const PlanBlock& at : blocks)
    for_tiles(covered(shape, block, at),
              [&](long t, long k) { entries.emplace_back((at.b * shape.heads + at.h) * tiles_of(shape.T) + t, k); });
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  size_t next = 0;
  for (long row = 0; row < shape.samples * shape.heads * tiles_of(shape.T); row++, to.end_row())
    for (; next < entries.size() && entries[next].first == row; next++) to.full(entries[next].second);
  return to.take();
}

}  // namespace

long Plan::row(long b, long h, long query_tile) const {
  return kernels::PlanTiles{.samples = shape.samples, .heads = shape.heads, .query_tiles = query_tiles()}.row(
      b, h, query_tile);
}

bool Plan::sees(long b, long h, long i, long j) const {
  const auto from = key_tile.begin() + begin[size_t(row(b, h, i / kPlanTile))];
  const auto to = key_tile.begin() + begin[size_t(row(b, h, i / kPlanTile) + 1)];
  const auto at = std::lower_bound(from, to, int32_t(j / kPlanTile));
  if (at == to || *at != j / kPlanTile) return false;
  const int32_t number = bits[size_t(at - key_tile.begin())];
  return number == kFull || (tiles[size_t(number)][size_t(j % kPlanTile)] >> (i % kPlanTile) & 1);
}

const PlanTensors& PlanOnDevices::get(Device device, const std::function<PlanTensors()>& make) {
  const std::lock_guard lock(mutex_);
  const auto found = made_.find({device.backend, device.index});
  return found != made_.end() ? found->second : made_[{device.backend, device.index}] = make();
}

const PlanTensors& Plan::on(Device device) const {
  return there.get(device, [&] { return moved(*this, device); });
}

Plan Plan::transposed() const {
  Writer to({shape.S, shape.T, shape.samples, shape.heads});
  const long rows = query_tiles(), columns = tiles_of(shape.S);
  for (long list = 0; list < shape.samples * shape.heads; list++) {
    std::vector<std::vector<std::pair<long, int32_t>>> column(static_cast<size_t>(columns));
    for (long r = 0; r < rows; r++)
      for (int64_t e = begin[size_t(list * rows + r)]; e < begin[size_t(list * rows + r + 1)]; e++)
        column[size_t(key_tile[size_t(e)])].emplace_back(r, bits[size_t(e)]);
    for (long c = 0; c < columns; c++, to.end_row())
      for (const auto& [r, number] : column[size_t(c)]) {
        if (number == kFull) {
          to.full(r);
          continue;
        }
        TileBits transposed{};
        for (size_t j = 0; j < size_t(kPlanTile); j++)
          for (size_t i = 0; i < size_t(kPlanTile); i++) transposed[i] |= (tiles[size_t(number)][j] >> i & 1) << j;
        to.partial(c, r, transposed);
      }
  }
  return to.take();
}

void Plan::check(const char* op, const Shape& of) const {
  const auto& [T, S, samples, heads] = shape;
  HEED_CHECK((samples == 1 || samples == of[0]) && (heads == 1 || heads == of[1]), op, "the plan has lists for ",
             samples, " samples and ", heads, " heads and the batch is (B, H, T, S) = ", of,
             "; it must have one for all, or one each");
  HEED_CHECK(T == of[2] && S == of[3], op, "the plan is for ", T, " queries and ", S,
             " keys and the batch is (B, H, T, S) = ", of, "; they must be equal");
  const size_t rows = size_t(samples * heads * query_tiles()), entries = key_tile.size();
  bool good = begin.size() == rows + 1 && begin[0] == 0 && begin[rows] == int64_t(entries) && bits.size() == entries;
  for (size_t r = 0; r < rows && good; r++) {
    good = begin[r] <= begin[r + 1] && begin[r + 1] <= int64_t(entries);
    for (size_t e = size_t(begin[r]); good && e < size_t(begin[r + 1]); e++)
      good = key_tile[e] < tiles_of(S) && key_tile[e] > (e == size_t(begin[r]) ? -1 : key_tile[e - 1]) &&
             bits[e] >= kFull && bits[e] < int32_t(tiles.size());
  }
  HEED_CHECK(good, op, "the plan's entries are not in order: rows must follow each other, and in a row key tiles must ",
             "rise from 0 to ", tiles_of(S) - 1, ". Make it by plan_of_pairs or plan_of_blocks");
}

Plan plan_of_pairs(const PlanShape& shape, const SeesPair& sees, const CoversTile& covers) {
  Writer to(shape);
  for_rows(shape, [&](long b, long h, long t) {
    for (long key_tile = 0; key_tile < tiles_of(shape.S); key_tile++) {
      const PlanTile tile = tile_at(shape, b, h, t, key_tile);
      const Cover cover = covers ? covers(tile) : Cover::some;
      if (cover == Cover::all) to.full(key_tile);
      if (cover == Cover::some) to.partial(t, key_tile, asked(sees, tile));
    }
    to.end_row();
  });
  return to.take();
}

Plan plan_of_rectangles(const PlanShape& shape, const std::vector<PlanTile>& rectangles) {
  Writer to(shape);
  std::map<std::array<long, 3>, std::map<long, TileBits>> rows;  // by list, head and tile of queries, then of keys
  for (const PlanTile& given : rectangles) {
    HEED_CHECK(given.b >= 0 && given.b < shape.samples && given.h >= 0 && given.h < shape.heads, "plan_of_rectangles",
               "a rectangle is of sample ", given.b, " and head ", given.h, "; there are ", shape.samples,
               " samples and ", shape.heads, " heads");
    const PlanTile seen = inside(shape, given);
    for_tiles(seen, [&](long t, long k) {
      let_through(rows[{seen.b, seen.h, t}][k], tile_at(shape, seen.b, seen.h, t, k), seen);
    });
  }
  for_rows(shape, [&](long b, long h, long t) {
    for (const auto& [key_tile, bits] : rows[{b, h, t}]) to.partial(t, key_tile, bits);
    to.end_row();
  });
  return to.take();
}

Plan plan_of_blocks(const PlanShape& shape, long block, const std::vector<PlanBlock>& blocks) {
  HEED_CHECK(block >= 1, "plan_of_blocks", "block is ", block, "; it must be at least 1");
  if (block % kPlanTile == 0) return plan_of_whole_tiles(shape, block, blocks);
  std::vector<PlanTile> rectangles;
  for (const PlanBlock& at : blocks) rectangles.push_back(covered(shape, block, at));
  return plan_of_rectangles(shape, rectangles);
}

}  // namespace heed
