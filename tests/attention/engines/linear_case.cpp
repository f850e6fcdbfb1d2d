#include "tests/attention/engines/linear_case.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

std::vector<Tensor> tensors(const LinearSizes& z, DType dtype) {
  const auto view = [dtype](long B, long H, long T, long C, uint32_t seed) {
    return transpose(noise({B, T, H, C}, seed, dtype), 1, 2);
  };
  return {view(z.B, z.H, z.T, z.F, 1), view(z.B, z.Hk, z.S, z.F, 2), view(z.B, z.Hk, z.S, z.Dv, 3)};
}

LinearInputs inputs(const std::vector<Variable>& x) { return {elu_features(x[0]), elu_features(x[1]), x[2]}; }
LinearInputs inputs(const std::vector<Tensor>& x) { return inputs(std::vector<Variable>(x.begin(), x.end())); }

Tensor tokens(const Tensor& x, long begin, long end) { return contiguous(slice(x, 2, begin, end)); }
std::vector<Tensor> tokens(const std::vector<Tensor>& x, long begin, long end) {
  return {tokens(x[0], begin, end), tokens(x[1], begin, end), tokens(x[2], begin, end)};
}

Variable fused(const LinearInputs& in, const LinearOptions& options) { return linear_attention(in, options); }

std::vector<Tensor> results(const std::vector<Tensor>& x, const LinearOptions& options, const LinearSolver& solve,
                            const Tensor& dy) {
  std::vector<Variable> leaves;
  for (const Tensor& each : x) leaves.push_back(Variable::leaf(each));
  const Variable o = solve(inputs(leaves), options);
  std::vector<Tensor> list = {o.value()};
  o.backward(dy.defined() ? dy : noise(o.shape(), 9, o.dtype()));
  for (const Variable& each : leaves) list.push_back(each.grad());
  return list;
}

// In f32 both are compared with the definition in f64: the engine may be off by as much as the plain sums of the
// definition are, twice, and by a little where those happen to be exact.
void check_engine(const LinearSizes& z, const LinearOptions& options) {
  const std::vector<Tensor> x = tensors(z, f32);
  std::vector<Tensor> wide;
  for (const Tensor& each : x) wide.push_back(cast(each, f64));
  const Tensor dy = noise({z.B, z.H, z.T, z.Dv}, 9, f32);
  const auto want = results(wide, options, linear_attention_reference, cast(dy, f64));
  const auto ours = results(wide, options, fused, cast(dy, f64)), narrow = results(x, options, fused, dy);
  for (size_t i = 0; i < want.size(); i++)
    BOOST_TEST_CONTEXT("T " << z.T << " S " << z.S << " F " << z.F << " Dv " << z.Dv << " result " << i) {
      check_close(ours[i], want[i], kRounding);
      check_close(cast(narrow[i], f64), want[i], 2e-5);  // f32
    }
}

Tensor runs(const std::vector<std::vector<long>>& lengths, long n) {
  const Tensor segments = Tensor::empty({long(lengths.size()), n}, i64);
  int64_t* to = segments.mutable_data<int64_t>();
  for (const std::vector<long>& each : lengths)
    for (long at = 0, run = 0; at < n; run++)
      for (long i = 0; i < each[size_t(run) % each.size()] && at < n; i++, at++) *to++ = 100 - 7 * run;
  return segments;
}
