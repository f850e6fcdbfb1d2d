// Initialisers: how a parameter's first values are drawn. A draw depends on the seed and the parameter's path only,
// never on the order in which modules are made.
//
// For a weight (out, in), or (out, in, ...) as in a convolution: fan in = in * ..., fan out = out * ...
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
// Normal with this deviation, where a draw beyond 2 deviations is drawn again. That cuts off 4.6% of the draws; the
// deviation of what is left is 0.880 times the one given.
Init truncated_normal(double deviation);
Init uniform(double bound);  // in [-bound, bound]

Init fan_in();   // uniform in [-1/sqrt(fan in), 1/sqrt(fan in)]
Init xavier();   // normal with deviation sqrt(2 / (fan in + fan out))       (Glorot and Bengio, 2010)
Init kaiming();  // normal with deviation sqrt(2 / fan in), for relu          (He et al., 2015)
// gain * q, where q is out x fan in and uniformly drawn from the matrices with orthonormal rows (out <= fan in) or
// columns: the q of a normal matrix, with the signs of tensor/ops/decompose.h. (Saxe et al., 2014)
Init orthogonal(double gain = 1);
// Normal with deviation / sqrt(2 layers): for the last layer of each residual branch of a stack with 2 branches per
// layer, whose sum then does not grow with depth. (GPT-2, with deviation 0.02)
Init depth_normal(double deviation, long layers);

}  // namespace init
}  // namespace heed
