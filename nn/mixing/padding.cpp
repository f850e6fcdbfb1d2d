#include "nn/mixing/padding.h"

#include <sstream>

#include "autograd/ops/where.h"
#include "nn/mixing/mask_once.h"
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

namespace {

Tensor padded_rows(const Variable& y, const Tensor& lengths, long S) {  // (B, T, 1), where y is
  return to(unsqueeze(padding(lengths, y.size(1), S), 2), y.value().device());
}

}  // namespace

Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S) {
  return lengths.defined() ? masked_fill(y, padded_rows(y, lengths, S), 0) : y;
}

Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S, Context& ctx) {
  if (!lengths.defined()) return y;
  std::ostringstream key;
  key << "padding " << y.size(1) << " " << S << " " << y.value().device();
  const auto rows = made_once<Tensor>(ctx, key.str(), {.lengths = lengths}, [&] { return padded_rows(y, lengths, S); });
  return masked_fill(y, *rows, 0);
}

}  // namespace heed
