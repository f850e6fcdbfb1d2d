// Initialisers: how a parameter's first values are drawn. A draw depends on the seed and the parameter's path only,
// never on the order in which modules are made.
#pragma once

#include <functional>

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed {

using Init = std::function<Tensor(const Shape& shape, const RandomKey& key)>;

namespace init {

Init zeros();
Init ones();
Init constant(double value);
Init normal(double deviation, double mean = 0);
Init uniform(double bound);  // in [-bound, bound]
Init fan_in();               // shape (out, in): uniform in [-1/sqrt(in), 1/sqrt(in)]
Init xavier();               // shape (out, in): normal with deviation sqrt(2 / (in + out))

}  // namespace init
}  // namespace heed
