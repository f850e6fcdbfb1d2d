#include "nn/init.h"

#include <algorithm>
#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/decompose.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"

namespace heed::init {
namespace {

struct Fans {
  long in, out;  // at least 1: an empty weight divides by nothing
};

Fans fans_of(const char* name, const Shape& shape) {
  HEED_CHECK(shape.dims() >= 2, name, "the shape is ", shape, "; this initialiser is for (out, in) or (out, in, ...)");
  long inner = 1;
  for (int i = 2; i < shape.dims(); i++) inner *= shape[i];
  return {std::max(shape[1] * inner, 1L), std::max(shape[0] * inner, 1L)};
}

}  // namespace

Init zeros() { return constant(0); }
Init ones() { return constant(1); }

Init constant(double value) {
  return [value](const Shape& shape, const RandomKey&) { return heed::full(shape, value); };
}

Init normal(double deviation, double mean) {
  return [=](const Shape& shape, const RandomKey& key) { return heed::normal(shape, key, mean, deviation); };
}

// Element e takes the first of its draws (one per attempt, counted in the key's sample) that lies inside.
Init truncated_normal(double deviation) {
  return [=](const Shape& shape, RandomKey key) {
    constexpr float kCut = 2;
    std::vector<float> values = heed::normal(shape, key).to_vector<float>();
    const auto outside = [](float z) { return std::abs(z) > kCut; };
    while (std::any_of(values.begin(), values.end(), outside)) {
      key.sample++;
      const std::vector<float> again = heed::normal(shape, key).to_vector<float>();
      for (size_t e = 0; e < values.size(); e++)
        if (outside(values[e])) values[e] = again[e];
    }
    return from_vector(values, shape) * deviation;
  };
}

Init uniform(double bound) {
  return [=](const Shape& shape, const RandomKey& key) { return heed::uniform(shape, key, -bound, bound); };
}

Init fan_in() {
  return [](const Shape& shape, const RandomKey& key) {
    double bound = 1 / std::sqrt(double(fans_of("fan_in", shape).in));
    return heed::uniform(shape, key, -bound, bound);
  };
}

Init xavier() {
  return [](const Shape& shape, const RandomKey& key) {
    Fans fans = fans_of("xavier", shape);
    return heed::normal(shape, key, 0, std::sqrt(2 / double(fans.in + fans.out)));
  };
}

Init kaiming() {
  return [](const Shape& shape, const RandomKey& key) {
    return heed::normal(shape, key, 0, std::sqrt(2 / double(fans_of("kaiming", shape).in)));
  };
}

Init orthogonal(double gain) {
  return [=](const Shape& shape, const RandomKey& key) {
    fans_of("orthogonal", shape);
    const long out = shape[0], in = out ? shape.numel() / out : 0;
    const Tensor q = qr(heed::normal({std::max(out, in), std::min(out, in)}, key, 0, 1, f64)).q;
    return reshape(cast(contiguous(out < in ? transpose(q) : q) * gain, f32), shape);
  };
}

Init depth_normal(double deviation, long layers) {
  HEED_CHECK(layers >= 1, "depth_normal", "layers is ", layers, "; a stack has at least 1");
  return normal(deviation / std::sqrt(2 * double(layers)));
}

}  // namespace heed::init
