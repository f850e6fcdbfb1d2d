// Scans. Where there are few rows a row is cut into blocks, by the shape only: first each block's total, then what came
// before each block, then the scan of each block from there. So the bits are the same for any number of threads.
#include "tensor/ops/scan.h"

#include <utility>

#include "system/ceil_div.h"
#include "tensor/cpu/walk.h"
#include "tensor/ops/scan_carry.h"

namespace heed {
namespace {

constexpr long kColumns = 64;    // scanned side by side by one task: neighbours in memory
constexpr long kBlock = 8192;    // elements of a block
constexpr long kManyTasks = 16;  // with so many a row need not be cut

// A task scans `block` of `count` places for up to kColumns of `inner` columns.
struct Cut {
  long chunks, block, blocks;  // chunks of columns, places in a block, blocks in a row
  explicit Cut(const ScanSizes& s) {
    chunks = ceil_div(s.inner, kColumns);
    const bool whole = s.inner == 0 || s.outer * chunks >= kManyTasks;
    block = whole ? std::max(1L, s.count) : kBlock / std::min(s.inner, kColumns);
    blocks = std::max(1L, ceil_div(s.count, block));
  }
};

long workspace_cpu(const ScanSizes& s) {
  const Cut cut(s);
  return cut.blocks > 1 ? s.outer * cut.blocks * s.inner * 8 : 0;  // a State each
}

// f(outer, block, first column, number of columns)
template <class F> void for_tasks(const Cut& cut, const ScanSizes& s, F&& f) {
  const long grain = rows_grain(cut.block * std::min(s.inner, kColumns), 4);
  parallel_for(s.outer * cut.blocks * cut.chunks, grain, [&](long begin, long end) {
    for (long task = begin; task < end; task++) {
      const long row = task / cut.chunks, column = task % cut.chunks * kColumns;
      f(row / cut.blocks, row % cut.blocks, column, std::min(kColumns, s.inner - column));
    }
  });
}

// before (outer, blocks, inner): the workspace, used where there is more than one block
template <class Op> void scan_cpu(const Op& op, const ScanSizes& s, bool reverse, typename Op::State* before) {
  using State = typename Op::State;
  const Cut cut(s);
  auto walk_block = [&](State* state, long outer, long block, long column, long width, auto&& each) {
    const long first = block * cut.block, last = std::min(s.count, first + cut.block);
    for (long i = first; i < last; i++) {
      const long at = (outer * s.count + (reverse ? s.count - 1 - i : i)) * s.inner + column;
      for (long j = 0; j < width; j++) each(state[j], at + j, i);
    }
  };
  auto before_of = [&](long outer, long block) { return before + (outer * cut.blocks + block) * s.inner; };

  if (cut.blocks > 1) {
    for_tasks(cut, s, [&](long outer, long block, long column, long width) {  // the total of every block
      State total[kColumns];
      std::fill_n(total, width, Op::nothing);
      walk_block(total, outer, block, column, width, [&](State& state, long at, long i) { op.take(state, at, i); });
      std::copy_n(total, width, before_of(outer, block) + column);
    });
    for (long outer = 0; outer < s.outer; outer++)  // what came before every block
      for (long j = 0; j < s.inner; j++) {
        State running = Op::nothing;
        for (long block = 0; block < cut.blocks; block++) {
          const State total = std::exchange(before_of(outer, block)[j], running);
          op.join(running, total, outer * s.count * s.inner + j);
        }
      }
  }

  for_tasks(cut, s, [&](long outer, long block, long column, long width) {
    State state[kColumns];
    std::fill_n(state, width, Op::nothing);
    if (cut.blocks > 1) std::copy_n(before_of(outer, block) + column, width, state);
    walk_block(state, outer, block, column, width, [&](State& running, long at, long i) {
      op.take(running, at, i);
      op.put(running, at, i);
    });
  });
}

// y, x (outer, count, inner): running sums along the middle axis, from its end if `reverse`
template <class E> void cumsum_cpu(E* y, const E* x, const ScanSizes& s, bool reverse, void* workspace) {
  scan_cpu(CarrySum<E>{y, x}, s, reverse, static_cast<double*>(workspace));
}

// y, indices, x (outer, count, inner): running maxima along the middle axis, and where they stand
template <class E> void cumulative_max_cpu(E* y, int64_t* indices, const E* x, const ScanSizes& s, void* workspace) {
  scan_cpu(CarryMax<E>{y, indices, x, s.inner}, s, false, static_cast<int64_t*>(workspace));
}

const OnCpu scan_workspace{[](auto set) { set(kernels::scan_workspace_bytes, workspace_cpu); }};
const OnCpu scan{[]<class E>(auto set) {
  set(kernels::cumsum<E>, cumsum_cpu<E>);
  set(kernels::cumulative_max<E>, cumulative_max_cpu<E>);
}};

}  // namespace
}  // namespace heed
