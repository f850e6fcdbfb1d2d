#include "nn/mixing/padding.h"

#include <sstream>

#include "autograd/ops/where.h"
#include "nn/mixing/mask.h"
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

struct Padded {
  Tensor lengths;  // kept alive: no others can come to lie where they are
  Tensor rows;     // (B, T, 1) on the device
};

Padded padded(const Tensor& lengths, long T, long S, Device device) {
  return {lengths, to(unsqueeze(padding(lengths, T, S), 2), device)};
}

}  // namespace

Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S) {
  if (!lengths.defined()) return y;
  return masked_fill(y, padded(lengths, y.size(1), S, y.value().device()).rows, 0);
}

Variable zero_padded_rows(const Variable& y, const Tensor& lengths, long S, Context& ctx) {
  if (!lengths.defined()) return y;
  std::ostringstream key;
  key << "padding " << y.size(1) << " " << S << " " << y.value().device() << " " << Mask{.lengths = lengths}.identity();
  const auto once = ctx.once<Padded>(key.str(), [&] { return padded(lengths, y.size(1), S, y.value().device()); });
  return masked_fill(y, once->rows, 0);
}

}  // namespace heed
