#include "attention/seeing/pair_count.h"

#include <algorithm>

#include "attention/seeing/plan.h"
#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {
namespace {

thread_local PairCounter* counting = nullptr;

// What a mask and a pattern allow, by tokens, with all numbers read once.
class Tokens {
 public:
  explicit Tokens(const Visible& v)
      : T_(v.T), S_(v.S), samples_(v.first.size(0)), heads_(v.first.size(1)), by_label_(v.key_labels.defined()) {
    first_ = v.first.to_vector<int32_t>(), last_ = v.last.to_vector<int32_t>();
    if (by_label_) {
      label_rows_ = v.key_labels.size(0);
      query_labels_ = v.query_labels.to_vector<int32_t>(), key_labels_ = v.key_labels.to_vector<int32_t>();
    }
    if (v.allow.defined()) heads_of_allow_ = v.H, allow_ = expand(v.allow, {v.B, v.H, T_, S_}).to_vector<bool>();
  }

  bool only_ranges() const { return !by_label_ && allow_.empty(); }
  KeyRange range(long b, long h, long i) const {
    const size_t at = size_t(((samples_ > 1 ? b : 0) * heads_ + (heads_ > 1 ? h : 0)) * T_ + i);
    return {std::max<long>(first_[at], 0), std::min<long>(last_[at], S_ - 1)};
  }
  bool sees(const PlanPair& p) const {
    const KeyRange keys = range(p.b, p.h, p.i);
    return p.j >= keys.first && p.j <= keys.last && sees_inside(p);
  }
  bool sees_inside(const PlanPair& p) const {  // of its range
    const long row = label_rows_ > 1 ? p.b : 0;
    if (by_label_ && query_labels_[size_t(row * T_ + p.i)] != key_labels_[size_t(row * S_ + p.j)]) return false;
    return allow_.empty() || allow_[size_t(((p.b * heads_of_allow_ + p.h) * T_ + p.i) * S_ + p.j)];
  }

 private:
  long T_, S_, samples_, heads_, label_rows_ = 1, heads_of_allow_ = 1;
  bool by_label_;
  std::vector<int32_t> first_, last_, query_labels_, key_labels_;
  std::vector<bool> allow_;
};

long in_ranges(const Tokens& tokens, long b, long h, long T) {
  long count = 0;
  for (long i = 0; i < T; i++) {
    const KeyRange keys = tokens.range(b, h, i);
    if (tokens.only_ranges()) {
      count += std::max(0L, keys.last - keys.first + 1);
      continue;
    }
    for (long j = keys.first; j <= keys.last; j++) count += tokens.sees_inside({b, h, i, j});
  }
  return count;
}

// The places of one head, and the tokens there
struct Places {
  PlaceTokens queries, keys;
  explicit Places(const Visible& v) : queries(v.query_index), keys(v.key_index) {}

  bool seen(const Tokens& tokens, const PlanPair& place) const {
    const long i = queries.at(place.b, place.h, place.i), j = keys.at(place.b, place.h, place.j);
    return i >= 0 && j >= 0 && tokens.sees({place.b, place.h, i, j});
  }
};

long in_tile(const Tokens& tokens, const Places& places, const Plan& plan, const PlanTile& tile, int32_t bits) {
  long count = 0;
  for (long j = tile.first_key; j <= tile.last_key; j++) {
    const uint64_t queries = bits == Plan::kFull ? ~uint64_t(0) : plan.tiles[size_t(bits)][size_t(j - tile.first_key)];
    for (long i = tile.first_query; i <= tile.last_query; i++)
      if ((queries >> (i - tile.first_query)) & 1) count += places.seen(tokens, {tile.b, tile.h, i, j});
  }
  return count;
}

long in_plan(const Tokens& tokens, const Places& places, const Plan& plan, long b, long h) {
  long count = 0;
  for (long tile = 0; tile < plan.query_tiles(); tile++) {
    const size_t row = size_t(plan.row(b, h, tile));
    for (size_t e = size_t(plan.begin[row]); e < size_t(plan.begin[row + 1]); e++) {
      const long i = tile * kPlanTile, j = plan.key_tile[e] * kPlanTile;
      const PlanTile at{
          b, h, i, std::min(i + kPlanTile, plan.shape.T) - 1, j, std::min(j + kPlanTile, plan.shape.S) - 1};
      count += in_tile(tokens, places, plan, at, plan.bits[e]);
    }
  }
  return count;
}

}  // namespace

double pair_count(const Visible& given) {
  const Visible v = given.on(cpu);
  v.check("pair_count");
  const Tokens tokens(v);
  const Places places(v);
  double count = 0;
  for (long b = 0; b < v.B; b++)
    for (long h = 0; h < v.H; h++)
      count += double(v.plan ? in_plan(tokens, places, *v.plan, b, h) : in_ranges(tokens, b, h, v.T));
  return count;
}

PairCounter::PairCounter() : outer_(counting) { counting = this; }
PairCounter::~PairCounter() { counting = outer_; }

void PairCounter::note(const Visible& visible) {
  if (counting) counting->pairs_ += pair_count(visible);
}

}  // namespace heed
