// Which weights of attention dropout keeps, as a matrix (attention/engines/keep.h): for engines that have one.
#include <algorithm>
#include <cstdlib>

#include "attention/engines/keep_kernels.h"
#include "tensor/cpu/keep_draws.h"
#include "tensor/cpu/walk.h"

namespace heed {
namespace {

// keep (rows, S) of one sample and head, from position `first` on; with more queries than keys it may be negative
void draw_rows(bool* keep, const RandomKey& key, uint32_t threshold, long first, long rows, long S) {
  const long tokens = rows + std::abs(first);  // more than any position, so that all rows are of one sample
  for_keep_draws({1, tokens, S, key, threshold}, first, first + rows, [&](long at, const uint16_t* draws, long n) {
    for (long i = 0; i < n; i++) keep[at - first * S + i] = draws[i] >= threshold;
  });
}

void attention_keep_cpu(bool* keep, const kernels::AttentionKeep& z) {
  parallel_for(z.B * z.H * z.rows, rows_grain(z.S, 2), [&](long row, long last) {
    for (long next; row < last; row = next) {  // head by head
      const long head = row / z.rows;
      next = std::min(last, (head + 1) * z.rows);
      RandomKey own = z.key;
      own.site += kernels::head_site(head % z.H);
      own.sample += uint32_t(head / z.H);
      draw_rows(keep + row * z.S, own, z.threshold, z.begin + row % z.rows + z.S - z.T, next - row, z.S);
    }
  });
}

const OnCpu attention_keep{[](auto set) { set(kernels::attention_keep, attention_keep_cpu); }};

}  // namespace
}  // namespace heed
