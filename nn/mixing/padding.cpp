#include "nn/mixing/padding.h"

#include "autograd/ops/where.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"

namespace heed {

// Sums are for real numbers only: positions are f64, which holds every length exactly.
Tensor padding(const Tensor& lengths, long T, long S) {
  const Tensor positions = arange(T, f64, lengths.device()) + double(S - T);
  return greater_equal(unsqueeze(positions, 0), unsqueeze(cast(lengths, f64), 1));
}

Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S) {
  return lengths.defined() ? masked_fill(y, unsqueeze(padding(lengths, y.size(1), S), 2), 0) : y;
}

}  // namespace heed
