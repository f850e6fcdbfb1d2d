// What backward of the softmax engine adds up for the keys: dk and dv. A task owns one head of k and v with all the
// queries that use it; where there are too few heads to keep the threads busy the queries of a head are cut into
// stripes (by the shape only), each with dk and dv of its own, which are added up at the end.
//
// Of its dk and dv a stripe uses only the blocks of 64 keys that one of its queries sees. In a window that is a part of
// the keys: nothing is cleared, added up or even brought into memory that nobody has seen.
#pragma once

#include <vector>

#include "attention/engines/cpu/softmax_lanes.h"
#include "system/ceil_div.h"

namespace heed {

// Channels of rows that vectors run along, rounded up to whole vectors.
template <class E> long padded(long channels) { return ceil_div(channels, Vec<E>::kLanes) * Vec<E>::kLanes; }

struct Stripes {
  long per_head, tasks, tiles;  // of a head of k and v; in all; tiles of queries of such a head

  explicit Stripes(const SoftmaxSizes& z) {
    constexpr long kTasks = 8;
    tiles = ceil_div(z.T, kTile) * (z.H / z.Hk);
    per_head = std::clamp(kTasks / std::max(1L, z.B * z.Hk), 1L, std::max(1L, tiles / 4));
    tasks = z.B * z.Hk * per_head;
  }
  // f(b, h, number) for every tile of queries of a task, in their order
  template <class F> void for_tiles(const SoftmaxSizes& z, long task, F&& f) const {
    const long head = task / per_head, stripe = task % per_head, groups = z.H / z.Hk, of_head = ceil_div(z.T, kTile);
    for (long t = tiles * stripe / per_head; t < tiles * (stripe + 1) / per_head; t++)
      f(head / z.Hk, head % z.Hk * groups + t / of_head, t % of_head);
  }
};

// Which blocks of 64 keys the queries of each task see.
class SeenBlocks {
 public:
  template <class E> static SeenBlocks of(const SoftmaxProblem& p);
  static long count(const SoftmaxSizes& z) { return ceil_div(z.key_tokens, kTile); }

  bool sees(long task, long block) const { return seen_[size_t(task * count_ + block)]; }

 private:
  long count_ = 0;
  std::vector<char> seen_ = {};  // (tasks, count)
};

template <class E> SeenBlocks SeenBlocks::of(const SoftmaxProblem& p) {
  const Stripes stripes(p.sizes);
  SeenBlocks blocks;
  blocks.count_ = count(p.sizes);
  blocks.seen_.assign(size_t(stripes.tasks * blocks.count_), 0);
  parallel_for(stripes.tasks, 1, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      char* seen = blocks.seen_.data() + task * blocks.count_;
      stripes.for_tiles(p.sizes, task, [&](long b, long h, long number) {
        Lanes<E>(p, b, h, number).for_key_tiles([&](const KeyTile& tile) {
          if (!tile.token) seen[tile.begin / kTile] = 1;
          for (long r = 0; r < tile.count && tile.token; r++)
            if (tile.token[r] >= 0) seen[tile.token[r] / kTile] = 1;
        });
      });
    }
  });
  return blocks;
}

}  // namespace heed
