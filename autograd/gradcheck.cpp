#include "autograd/gradcheck.h"

#include <cmath>

#include "autograd/graph.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"

namespace heed {
namespace {

using Tensors = std::vector<Tensor>;

// A fixed random direction dy for every output: the checked number is L = sum of y * dy.
Tensor direction(const Tensor& y, size_t output, uint32_t seed) {
  return normal(y.shape(), {.seed = seed, .step = uint32_t(output)}, 0, 1, y.dtype(), y.device());
}

double value_of(const ManyFunction& f, const Tensors& inputs, uint32_t seed) {
  NoGrad forget;
  double total = 0;
  auto ys = f({inputs.begin(), inputs.end()});
  for (size_t i = 0; i < ys.size(); i++) total += sum(ys[i].value() * direction(ys[i].value(), i, seed)).item();
  return total;
}

struct Forward {
  std::vector<Variable> leaves, ys;
  Variable loss;
};

Forward forward(const ManyFunction& f, const Tensors& inputs, uint32_t seed) {
  Forward run;
  for (const Tensor& x : inputs) run.leaves.push_back(Variable::leaf(x));
  run.ys = f(run.leaves);
  for (size_t i = 0; i < run.ys.size(); i++) {
    Variable part = sum(run.ys[i] * Variable(direction(run.ys[i].value(), i, seed)));
    run.loss = run.loss.defined() ? run.loss + part : part;
  }
  return run;
}

Tensors gradients(const Forward& run) {
  run.loss.backward();
  Tensors all;
  for (const Variable& x : run.leaves) all.push_back(x.grad().defined() ? x.grad() : zeros_like(x.value()));
  return all;
}

void compare(const char* what, const Tensors& got, const Tensors& want, double tolerance) {
  for (size_t k = 0; k < got.size(); k++) {
    auto a = got[k].to_vector<double>(), b = want[k].to_vector<double>();
    for (size_t e = 0; e < a.size(); e++)
      HEED_CHECK(std::abs(a[e] - b[e]) <= tolerance * (1 + std::abs(b[e])), "gradcheck", what, ": input ", k,
                 ", element ", position_of(long(e), got[k].shape()), ": the gradient is ", a[e], ", it should be ",
                 b[e], " (tolerance ", tolerance, ")");
  }
}

Tensors numeric(const ManyFunction& f, const Tensors& inputs, const GradcheckOptions& options) {
  Tensors all;
  for (const Tensor& x : inputs) {
    std::vector<double> slopes;
    for (const double before : x.to_vector<double>()) {
      const Tensor element = Tensor::view(x, {}, {}, x.offset() + long(slopes.size()));
      fill(element, before + options.step);
      const double above = value_of(f, inputs, options.seed);
      fill(element, before - options.step);
      const double below = value_of(f, inputs, options.seed);
      fill(element, before);
      slopes.push_back((above - below) / (2 * options.step));
    }
    all.push_back(from_vector(slopes, x.shape()));
  }
  return all;
}

// The same values with gaps between them in memory.
Tensor with_gaps(const Tensor& x) {
  if (x.dims() == 0) return x;
  Shape wide = x.shape();
  wide[x.dims() - 1] *= 2;
  Tensor y = slice(full(wide, NAN, x.dtype(), x.device()), -1, 0, wide[x.dims() - 1], 2);
  copy_into(y, x);
  return y;
}

// Writes over an input or output between forward and backward: backward must refuse, or not care.
void check_saved(const ManyFunction& f, const Tensors& inputs, const Tensors& want, const GradcheckOptions& options) {
  for (bool output : {false, true}) {
    size_t count = output ? f({inputs.begin(), inputs.end()}).size() : inputs.size();
    for (size_t k = 0; k < count; k++) {
      Tensors copies;
      for (const Tensor& x : inputs) copies.push_back(clone(x));
      Forward run = forward(f, copies, options.seed);
      Tensor victim = output ? run.ys[k].value() : copies[k];
      copy_into(Tensor::view(victim, {victim.numel() ? 1 : 0}, {1}, victim.offset()),
                scalar(1e6, victim.dtype(), victim.device()));
      try {
        compare("a tensor changed after the forward pass was used by backward; capture it as Saved", gradients(run),
                want, options.tolerance);
      } catch (const GraphError&) {  // refused: right
      }
    }
  }
}

class Checking {  // ops recorded while one lives count as checked
 public:
  Checking() { set(true); }
  ~Checking() { set(false); }

 private:
  static void set(bool on) {
    if (OpNames* names = watched_ops()) names->checking = on;
  }
};

}  // namespace

void gradcheck_many(const ManyFunction& f, const std::vector<Tensor>& given, const GradcheckOptions& options) {
  Checking names;
  Tensors inputs, strided, floats;
  for (const Tensor& x : given) {
    check_defined("gradcheck", x);
    HEED_CHECK(x.dtype() == f64, "gradcheck", "an input is ", x.dtype(),
               "; the check is sharp in f64 only. Cast first");
    inputs.push_back(clone(x));
    strided.push_back(with_gaps(x));
    floats.push_back(cast(x, f32));
  }
  Tensors analytic = gradients(forward(f, inputs, options.seed));
  compare("against central differences", analytic, numeric(f, inputs, options), options.tolerance);
  compare("with strided inputs", gradients(forward(f, strided, options.seed)), analytic, options.tolerance);
  if (options.f32_tolerance > 0)
    compare("in f32", gradients(forward(f, floats, options.seed)), analytic, options.f32_tolerance);
  check_saved(f, inputs, analytic, options);
}

void gradcheck(const Function& f, const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  gradcheck_many([&](const std::vector<Variable>& x) { return std::vector<Variable>{f(x)}; }, inputs, options);
}

}  // namespace heed
