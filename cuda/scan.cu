// Scans. A column is cut into blocks, by the shape only: first each block's total, then what came before each block,
// then the scan of each block from there. A thread has one block of one column, in the order of its elements.
#include "tensor/ops/scan.h"

#include <bit>

#include "cuda/walk.cuh"
#include "system/ceil_div.h"
#include "tensor/ops/scan_carry.h"

namespace heed::cuda {
namespace {

constexpr long kLeast = 16;  // elements of a block

struct Cut {
  ScanSizes sizes;
  long block, blocks;  // elements of a block, blocks of a column
  bool reverse;
};

// About as many blocks as there are elements in one: the second step walks over the blocks as the others do over a
// block's elements.
Cut cut_of(const ScanSizes& s, bool reverse = false) {
  const long columns = std::max(1L, s.outer * s.inner), root = 1L << std::bit_width(size_t(s.count)) / 2;
  const long wanted = std::min({root, ceil_div(s.count, kLeast), ceil_div(kEnoughThreads, columns)});
  const long block = ceil_div(s.count, std::max(1L, wanted));
  return {s, block, block == 0 ? 0 : ceil_div(s.count, block), reverse};
}

long workspace_bytes(const ScanSizes& s) {
  const long blocks = cut_of(s).blocks;
  return blocks > 1 ? s.outer * blocks * s.inner * 8 : 0;  // a State each
}

// each(at, i): the offset of element number i, for all of block number e of all columns, which are side by side
template <class Each> __device__ void walk_block(const Cut& cut, long e, const Each& each) {
  const ScanSizes& s = cut.sizes;
  const long row = e / s.inner, outer = row / cut.blocks, first = row % cut.blocks * cut.block;
  const long last = std::min(s.count, first + cut.block), column = outer * s.count * s.inner + e % s.inner;
  for (long i = first; i < last; i++) each(column + (cut.reverse ? s.count - 1 - i : i) * s.inner, i);
}

// before (outer, blocks, inner)
template <class Op> struct TotalOfBlock {
  Op op;
  Cut cut;
  typename Op::State* before;

  __device__ void operator()(long e) const {
    typename Op::State total = Op::nothing;
    walk_block(cut, e, [&](long at, long i) { op.take(total, at, i); });
    before[e] = total;
  }
};

template <class Op> struct BeforeBlocks {
  Op op;
  Cut cut;
  typename Op::State* before;

  __device__ void operator()(long e) const {
    const long outer = e / cut.sizes.inner, column = e % cut.sizes.inner;
    typename Op::State running = Op::nothing;
    for (long block = 0; block < cut.blocks; block++) {
      typename Op::State& at = before[(outer * cut.blocks + block) * cut.sizes.inner + column];
      const typename Op::State total = at;
      at = running;
      op.join(running, total, outer * cut.sizes.count * cut.sizes.inner + column);
    }
  }
};

template <class Op> struct ScanOfBlock {
  Op op;
  Cut cut;
  const typename Op::State* before;

  __device__ void operator()(long e) const {
    typename Op::State running = cut.blocks > 1 ? before[e] : Op::nothing;
    walk_block(cut, e, [&](long at, long i) {
      op.take(running, at, i);
      op.put(running, at, i);
    });
  }
};

template <class Op> void scan(const char* name, const Op& op, const Cut& cut, void* workspace) {
  auto* before = static_cast<typename Op::State*>(workspace);
  const long columns = cut.sizes.outer * cut.sizes.inner;
  if (cut.blocks > 1) {
    for_elements(name, columns * cut.blocks, TotalOfBlock<Op>{op, cut, before});
    for_elements(name, columns, BeforeBlocks<Op>{op, cut, before});
  }
  for_elements(name, columns * cut.blocks, ScanOfBlock<Op>{op, cut, before});
}

// y, x (outer, count, inner): running sums along the middle axis, from its end if `reverse`
template <class E> void cumsum(E* y, const E* x, const ScanSizes& s, bool reverse, void* workspace) {
  scan("cumsum", CarrySum<E>{y, x}, cut_of(s, reverse), workspace);
}

// y, indices, x (outer, count, inner): running maxima along the middle axis, and where they stand
template <class E> void cumulative_max(E* y, int64_t* indices, const E* x, const ScanSizes& s, void* workspace) {
  scan("cumulative_max", CarryMax<E>{y, indices, x, s.inner}, cut_of(s), workspace);
}

const OnCuda scan_workspace{[](auto set) { set(kernels::scan_workspace_bytes, workspace_bytes); }};
const OnCuda scans{[]<class E>(auto set) {
  set(kernels::cumsum<E>, cumsum<E>);
  set(kernels::cumulative_max<E>, cumulative_max<E>);
}};

}  // namespace
}  // namespace heed::cuda
