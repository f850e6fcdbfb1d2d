#include "tensor/random.h"

#include <cmath>

namespace heed {

uint32_t site_hash(std::string_view path, uint32_t use) {
  uint32_t hash = 2166136261u;
  auto mix = [&](uint8_t byte) { hash = (hash ^ byte) * 16777619u; };
  for (char c : path) mix(uint8_t(c));
  for (int shift = 0; shift < 32; shift += 8) mix(uint8_t(use >> shift));
  return hash;
}

Tensor uniform(const Shape& shape, const RandomKey& key, double low, double high, DType dtype, Device device) {
  HEED_CHECK(low <= high, "uniform", "low is ", low, " and high is ", high, "; the rule is low <= high");
  return visit_maths("uniform", dtype, [&](auto tag) {
    using E = decltype(tag);
    Tensor x = Tensor::empty(shape, dtype, device);
    kernels::uniform_fill<E>(device)(x.mutable_data<E>(), x.numel(), key, low, high - low);
    return x;
  });
}

Tensor normal(const Shape& shape, const RandomKey& key, double mean, double deviation, DType dtype, Device device) {
  return visit_maths("normal", dtype, [&](auto tag) {
    using E = decltype(tag);
    Tensor x = Tensor::empty(shape, dtype, device);
    kernels::normal_fill<E>(device)(x.mutable_data<E>(), x.numel(), key, mean, deviation);
    return x;
  });
}

Tensor randn(const Shape& shape, uint32_t seed, DType dtype, Device device) {
  return normal(shape, {.seed = seed, .site = site_hash("randn")}, 0, 1, dtype, device);
}

uint32_t keep_threshold(double p) { return uint32_t(std::lround(65536 * p)); }

Tensor keep_mask(const Shape& shape, const RandomKey& key, double p, Device device) {
  HEED_CHECK(shape.dims() == 3, "keep_mask", "the shape is ", shape, "; it must be (samples, tokens, channels)");
  HEED_CHECK(p >= 0 && p < 1, "keep_mask", "p is ", p, "; the rule is 0 <= p < 1");
  Tensor keep = Tensor::empty(shape, boolean, device);
  kernels::keep_fill(device)(keep.mutable_data<bool>(), {shape[0], shape[1], shape[2], key, keep_threshold(p)});
  return keep;
}

}  // namespace heed
