// gradcheck: is an op's gradient right? Compares it in double with central differences, and on the way makes sure of
// what is easily forgotten: strided inputs, f32, and that what backward uses of the forward pass is captured as Saved.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace heed {

struct GradcheckOptions {
  double step = 1e-5;           // of the central difference; its error is about step^2
  double tolerance = 1e-7;      // of |analytic - numeric| / (1 + |numeric|)
  double f32_tolerance = 1e-3;  // the same op in f32 against f64; 0 leaves that check out
  uint32_t seed = 7;            // of the random direction dy
};

using Function = std::function<Variable(const std::vector<Variable>& x)>;
using ManyFunction = std::function<std::vector<Variable>(const std::vector<Variable>& x)>;

// Throws an Error that names the input, the element and both numbers. The inputs are f64.
void gradcheck(const Function& f, const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});
void gradcheck_many(const ManyFunction& f, const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

}  // namespace heed
