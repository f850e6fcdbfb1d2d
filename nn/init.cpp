#include "nn/init.h"

#include <cmath>

#include "tensor/create.h"

namespace heed::init {
namespace {

void check_matrix(const char* name, const Shape& shape) {
  HEED_CHECK(shape.dims() == 2, name, "the shape is ", shape, "; this initialiser is for (out, in)");
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

Init uniform(double bound) {
  return [=](const Shape& shape, const RandomKey& key) { return heed::uniform(shape, key, -bound, bound); };
}

Init fan_in() {
  return [](const Shape& shape, const RandomKey& key) {
    check_matrix("fan_in", shape);
    double bound = 1 / std::sqrt(double(std::max(shape[1], 1L)));
    return heed::uniform(shape, key, -bound, bound);
  };
}

Init xavier() {
  return [](const Shape& shape, const RandomKey& key) {
    check_matrix("xavier", shape);
    return heed::normal(shape, key, 0, std::sqrt(2.0 / double(std::max(shape[0] + shape[1], 1L))));
  };
}

}  // namespace heed::init
