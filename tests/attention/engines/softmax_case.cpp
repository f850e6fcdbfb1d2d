#include "tests/attention/engines/softmax_case.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/where.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

double rounding(DType dtype) { return dtype == f32 ? 2e-5 : 1e-12; }           // sums of products of normal numbers
double gradient_rounding(DType dtype) { return dtype == f32 ? 1e-4 : 1e-11; }  // ditto, and of more of them

// L with 0 where it is -infinity: its gradient there counts for nothing
Variable finite(const Variable& L) {
  return where(greater(L.value(), scalar(-1e30, L.dtype())), L, Variable(zeros_like(L.value())));
}

}  // namespace

std::vector<Tensor> tensors(const SoftmaxCase& p, DType dtype) {
  const SoftmaxCase::Sizes& z = p.z;
  std::vector<Tensor> list = {transpose(noise({z.B, z.T, z.H, z.D}, 1, dtype), 1, 2),
                              noise({z.B, z.Hk, z.S, z.D}, 2, dtype),
                              transpose(noise({z.B, z.S, z.Hk, z.Dv}, 3, dtype), 1, 2)};
  const long distances =  // with positions there may be more than are needed
      p.query_positions.defined() ? 2 * largest_distance(p.query_positions, p.key_positions) + 5 : z.T + z.S - 1;
  if (p.by_distance) list.push_back(noise({z.H, distances}, 4, dtype));
  if (p.clip >= 0) list.push_back(noise({z.B, z.H, z.T, 2 * p.clip + 1}, 5, dtype));
  return list;
}

SoftmaxInputs inputs(const SoftmaxCase& p, const std::vector<Variable>& x) {
  SoftmaxInputs in{x[0], x[1], x[2]};
  if (p.by_distance) in.by_distance = x[3];
  if (p.clip >= 0) in.by_query = x.back();
  in.query_positions = p.query_positions, in.key_positions = p.key_positions;
  return in;
}

Visible seen_by(const SoftmaxCase& p) {
  const Shape shape{p.z.B, p.z.H, p.z.T, p.z.S};
  Visible visible = p.keys_of_head ? visible_ranges_by_head("test", shape, p.mask, p.keys_of_head)
                                   : visible_pairs("test", p.mask, p.pattern, shape);
  visible.plan = p.plan, visible.query_index = p.query_index, visible.key_index = p.key_index;
  return visible;
}

std::vector<Tensor> results(const SoftmaxCase& p, DType dtype, const SoftmaxSolver& attention) {
  std::vector<Variable> leaves;
  for (const Tensor& x : tensors(p, dtype)) leaves.push_back(Variable::leaf(x));
  const SoftmaxOutputs out = attention(inputs(p, leaves), seen_by(p), p.options);
  const Variable a = noise(out.o.shape(), 8, dtype), b = noise(out.L.shape(), 9, dtype);
  std::vector<Tensor> list = {out.o.value(), out.L.value()};
  (sum(out.o * a) + sum(finite(out.L) * b)).backward();
  for (const Variable& x : leaves) list.push_back(x.grad());
  return list;
}

void check_engine(const SoftmaxCase& p) {
  for (DType dtype : {f32, f64}) {
    const auto ours = results(p, dtype, softmax_attention), want = results(p, dtype, softmax_attention_reference);
    for (size_t i = 0; i < ours.size(); i++) BOOST_TEST_CONTEXT(dtype << " result " << i)
    check_close(ours[i], want[i], i < 2 ? rounding(dtype) : gradient_rounding(dtype));
  }
}

double peak_bytes(const SoftmaxCase& p) {
  release_cache();
  reset_peak();
  const size_t before = memory_stats().live;
  results(p, f32, softmax_attention);
  return double(memory_stats().peak - before);
}

void check_threads(const SoftmaxCase& p) {
  const auto first = results(p, f32, softmax_attention);
  for (int count : {1, 2, 3})
    on_threads(count, [&] {
      const auto again = results(p, f32, softmax_attention);
      for (size_t i = 0; i < first.size(); i++) BOOST_TEST(same_bits(contiguous(again[i]), contiguous(first[i])));
    });
}
