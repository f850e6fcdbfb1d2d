#include "autograd/ops/pooling.h"

#include "tensor/ops/indices.h"

namespace heed {

Variable max_pool1d(const Variable& x, const PoolOptions& options) {
  auto [y, indices] = max_pool1d_with_indices(x.value(), options);
  return record("max_pool1d", y, {x}, [indices = Saved(indices), shape = x.shape()](const Tensor& dy) {
    return max_pool1d_backward(dy, indices, shape);
  });
}

Variable mean_pool1d(const Variable& x, const PoolOptions& options) {
  return record("mean_pool1d", mean_pool1d(x.value(), options), {x},
                [options, shape = x.shape()](const Tensor& dy) { return mean_pool1d_backward(dy, shape, options); });
}

Variable masked_mean(const Variable& x, const Tensor& given) {
  const Tensor lengths = moved_once(x.value(), given, [&](Device device) {
    return checked_indices("masked_mean", given, x.size(1) + 1, device, {"length", "lengths"});
  });
  return record("masked_mean", masked_mean(x.value(), lengths), {x},
                [lengths = Saved(lengths), shape = x.shape()](const Tensor& dy) {
                  return masked_mean_backward(dy, lengths, shape);
                });
}

}  // namespace heed
