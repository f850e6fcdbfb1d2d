#include "attention/engines/softmax_flops.h"

#include <algorithm>

#include "attention/seeing/plan.h"

namespace heed {
namespace {

using kernels::SoftmaxProblem;

// The keys that the queries of one tile reach together: they are one range, whatever lies in between.
KeyRange reached(const SoftmaxProblem& p, long b, long h, long tile) {
  const long begin = tile * kPlanTile, end = std::min(begin + kPlanTile, p.sizes.T);
  if (p.seen.query_index || p.seen.key_index) return {0, p.sizes.S - 1};  // sorted anew: the plan alone decides
  KeyRange all{p.sizes.S, -1};
  for (long i = begin; i < end; i++) {
    const KeyRange own = p.seen.range(b, h, i);
    if (own.first <= own.last) all = {std::min(all.first, own.first), std::max(all.last, own.last)};
  }
  return {std::max(0L, all.first), std::min(all.last, p.sizes.S - 1)};
}

long tiles_looked_at(const SoftmaxProblem& p, long b, long h, long tile) {
  const KeyRange keys = reached(p, b, h, tile);
  if (keys.first > keys.last) return 0;
  const long first = keys.first / kPlanTile, last = keys.last / kPlanTile;
  if (!p.seen.plan) return last - first + 1;
  const kernels::PlanTiles& plan = p.seen.plan;
  const long row = plan.row(b, h, tile);
  return std::count_if(plan.key_tile + plan.begin[row], plan.key_tile + plan.begin[row + 1],
                       [&](long key_tile) { return key_tile >= first && key_tile <= last; });
}

}  // namespace

double softmax_flops(const SoftmaxProblem& p, Device device) {
  if (!profile::on() || device != cpu) return 0;
  double tiles = 0;
  for (long b = 0; b < p.sizes.B; b++)
    for (long h = 0; h < p.sizes.H; h++)
      for (long tile = 0; tile < ceil_div(p.sizes.T, kPlanTile); tile++)
        tiles += double(tiles_looked_at(p, b, h, tile));
  return tiles * 2 * double(kPlanTile * kPlanTile) * double(p.sizes.D + p.sizes.Dv);
}

}  // namespace heed
