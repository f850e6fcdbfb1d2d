#include "models/objectives/factorisation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "system/error.h"
#include "tensor/draws.h"

namespace heed {
namespace {

Draws draws_for(RandomKey key, const char* what) {
  key.site ^= site_hash(what);
  return Draws(key);
}

}  // namespace

void check_predicted_share(const char* op, double share) {
  HEED_CHECK(share > 0 && share < 1, op, "the share of predicted tokens is ", share,
             "; it must lie between 0 and 1, such as 0.15: some tokens are predicted, and others are seen");
}

long predicted_count(long n, double share) { return std::max(1L, long(std::floor(share * double(n) + 0.5 + 1e-9))); }

Factorisation drawn_factorisation(long n, double share, const RandomKey& key, const std::vector<bool>& special) {
  check_predicted_share("factorisation", share);
  HEED_CHECK(special.empty() || long(special.size()) == n, "factorisation", "the text has ", n, " tokens, and ",
             special.size(), " marks say which of them are special");
  Factorisation order;
  for (long p = 0; p < n; p++) (special.empty() || !special[size_t(p)] ? order.predicted : order.visible).push_back(p);
  const long count = predicted_count(long(order.predicted.size()), share);
  HEED_CHECK(!order.predicted.empty() && n > count, "factorisation", "the text has ", n, n == 1 ? " token" : " tokens",
             n > long(order.predicted.size()) ? ", special ones among them, and " : ", and ", count,
             count == 1 ? " is" : " are",
             " to be predicted from the others: it is shorter than its mask. Give a longer "
             "text, or a smaller share");
  draws_for(key, "factorisation").shuffle(order.predicted);
  order.visible.insert(order.visible.end(), order.predicted.begin() + count, order.predicted.end());
  order.predicted.resize(size_t(count));
  std::sort(order.visible.begin(), order.visible.end());
  return order;
}

// The copies in a random order, one after the other along [0, 1), from a random start within the first step: the first
// 80% of the way is [MASK], the next 10% random, the last 10% kept.
std::vector<int64_t> drawn_copies(const std::vector<int64_t>& ids, const Factorisation& order, const CopyOptions& o,
                                  const RandomKey& key) {
  HEED_CHECK(o.masked >= 0 && o.random >= 0 && o.masked + o.random <= 1 + 1e-9, "factorisation", "shares of ", o.masked,
             " masked and ", o.random, " random copies; none is below 0, and together they are at most 1");
  const size_t b = order.predicted.size();
  Draws draws = draws_for(key, "copies");
  std::vector<size_t> turns(b);
  std::iota(turns.begin(), turns.end(), 0);
  draws.shuffle(turns);
  const double start = draws.fraction();
  std::vector<int64_t> copies(b);
  for (size_t turn = 0; turn < b; turn++) {
    const double at = (double(turn) + start) / double(b);
    const int64_t any = draws.below(o.V), own = ids[size_t(order.predicted[turns[turn]])];
    copies[turns[turn]] = at < o.masked ? o.mask : at < o.masked + o.random ? any : own;
  }
  return copies;
}

}  // namespace heed
