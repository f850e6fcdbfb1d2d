// Plan: which tiles of 64 queries by 64 keys the softmax engine looks at, for patterns that are no ranges: blocks drawn
// at random, tokens that all see, clusters. A tile that is not in the plan costs nothing:
//
//   Plan plan = plan_of_blocks({.T = n, .S = n}, 64, {{.query = 0, .key = 0}, {.query = 1, .key = 0}});
//   Visible visible = visible_pairs("mine", mask, {}, {B, H, n, n});
//   visible.plan = std::make_shared<Plan>(plan);       // a pair is seen if the plan AND the mask allow it
//
// An entry is FULL (all pairs of the tile) or PARTIAL (64 x 64 bits, kept once where they are equal). One list serves
// all, or every head or every sample has its own. Plans of positions are worth keeping: ctx.plan(key, make). A plan
// made from the data is kept by the graph until backward.
//
// With an index beside it (Visible::query_index, key_index) the engine works on places instead of tokens: place i of
// the queries is token query_index[i], and q, k, v are gathered tile by tile, never as a whole. Tokens may come several
// times or not at all; -1 is an empty place, which sees nothing and is not seen. Results lie by places. Mask, biases
// and dropout still speak of tokens. The plan itself knows places only: one list of tiles serves every order of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "attention/seeing/visible.h"
#include "system/ceil_div.h"

namespace heed {

inline constexpr long kPlanTile = 64;
using TileBits = std::array<uint64_t, kPlanTile>;  // bit i of word j: query i of the tile sees its key j

struct PlanShape {
  long T = 0, S = 0;            // places of queries and of keys
  long samples = 1, heads = 1;  // how many lists there are: 1 (for all), or one each
};

// The arrays of a plan as tensors of a device.
struct PlanTensors {
  Tensor begin, key_tile, bits;  // i64, i32, i32
  Tensor tiles;                  // i64 (count, 64)
};

// Those that were made so far. They belong to one plan: a copy of it, which may be changed, begins with none.
class PlanOnDevices {
 public:
  PlanOnDevices() = default;
  PlanOnDevices(const PlanOnDevices&) {}
  PlanOnDevices& operator=(const PlanOnDevices&) { return made_.clear(), *this; }
  const PlanTensors& get(Device device, const std::function<PlanTensors()>& make);

 private:
  std::mutex mutex_;
  std::map<std::pair<Backend, int>, PlanTensors> made_;
};

struct Plan {
  static constexpr int32_t kFull = -1;

  PlanShape shape = {};
  // The tiles of queries of the first sample's first head, then those of its next head, ...: row r has the entries
  // begin[r] .. begin[r + 1], in rising order of their keys.
  std::vector<int64_t> begin = {0};
  std::vector<int32_t> key_tile;  // of each entry: its keys are 64 key_tile ..
  std::vector<int32_t> bits;      // kFull, or which of `tiles`
  std::vector<TileBits> tiles;    // all different; 0 beyond the last query or key

  long query_tiles() const { return ceil_div(shape.T, kPlanTile); }
  long row(long b, long h, long query_tile) const;  // of this sample and head
  bool sees(long b, long h, long i, long j) const;  // by places, without the mask
  Plan transposed() const;                          // keys by queries: for a pass over keys

  // Throws unless it is in the form above and fits a batch of so many samples, heads and places.
  void check(const char* op, const Shape& B_H_T_S) const;

  // Its arrays on a device, moved there once and kept as long as this lives: it must not be changed any more.
  const PlanTensors& on(Device device) const;

  mutable PlanOnDevices there{};
};

// ---- making plans

struct PlanPair {
  long b, h, i, j;  // b, h: which list; i, j: places
};
struct PlanTile {
  long b, h, first_query, last_query, first_key, last_key;
};
enum class Cover { none, some, all };

// By a predicate. `covers` is asked for every tile what it knows of it as a whole; pairs are asked one by one where it
// is `some`. Without it every pair is asked, O(T S).
using SeesPair = std::function<bool(const PlanPair&)>;
using CoversTile = std::function<Cover(const PlanTile&)>;
Plan plan_of_pairs(const PlanShape& shape, const SeesPair& sees, const CoversTile& covers = nullptr);

// By a list of squares of `block` queries by `block` keys, in any order; twice is once.
struct PlanBlock {
  long query = 0, key = 0;  // which block: places query * block ..
  long b = 0, h = 0;
};
Plan plan_of_blocks(const PlanShape& shape, long block, const std::vector<PlanBlock>& blocks);

// By rectangles of places: the queries first_query .. last_query see the keys first_key .. last_key. In any order;
// twice is once, and what lies beyond the places does not count. O(tiles) that they touch.
Plan plan_of_rectangles(const PlanShape& shape, const std::vector<PlanTile>& rectangles);

// A window, and tokens that all see and that see all:
//   query i at p = i + S - T sees key j   iff   the pattern's window allows it, or p or j is global
// globals: boolean (S), or (B, S) for each sample its own. O(n (w + g)) pairs if globals lie side by side; each tile
// that has one is visited as a whole. With a causal mask a global token sees its past only, and is seen by later ones.
Plan plan_of_globals(long T, long S, const Pattern& window, const Tensor& globals);
Plan plan_of_globals(long T, long S, const Pattern& window, long first);  // the first so many tokens

}  // namespace heed
