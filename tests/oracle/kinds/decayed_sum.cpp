// A Core with a State of its own: products of queries and keys without softmax, which fade with the distance.
//
//   o_i = sum_(j <= i) g^(i - j) <q_i, k_j> / sqrt(D) v_j,   g = 1 - 2^-(h + 2) for head h
//
// Since nothing is normalised, all that is to be known of the past is one matrix per head, M = sum_j g^(n - 1 - j) k_j
// v_j^T: a State of O(1) in place of all keys and values. Projections, heads and the last layer are MultiHead's. In the
// tests only, as an example. Here every pair is computed; a variant that is to be fast has linear_engine.h.
#include <cmath>

#include "attention/heads.h"
#include "attention/multi_head.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tests/oracle/dense.h"

using namespace heed;

namespace {

struct DecayedState : State {
  using State::State;
  Tensor past = {};  // (B, H, D, Dv), the matrix M; undefined: nothing is past

  void reset() override { State::reset(), past = {}; }
  Tensors tensors() const override { return past.defined() ? Tensors{{"past", past}} : Tensors(); }
  void take(const Tensors& from) override { past = contiguous_or_none(named(from, "past")); }
};

// (H, rows, columns) of g^power(row, column); a power below 0 is a key of the future: 0
template <class F> Tensor fading(long H, long rows, long columns, const Tensor& like, F&& power) {
  std::vector<double> all;
  for (long h = 0; h < H; h++)
    for (long i = 0; i < rows; i++)
      for (long j = 0; j < columns; j++)
        all.push_back(power(i, j) < 0 ? 0 : std::pow(1 - std::pow(2.0, -double(h + 2)), double(power(i, j))));
  return to(cast(from_vector(all, {H, rows, columns}), like.dtype()), like.device());
}

class DecayedCore : public Core {
 public:
  explicit DecayedCore(const MixerOptions&) {}

  Variable attend(const Heads& heads, const Mask&, Context&) override {
    const long H = heads.q.size(1), T = heads.q.size(2);
    const Variable q = heads.q * (1 / std::sqrt(double(heads.q.size(3))));
    const Variable k = for_all_heads(heads.k, H), v = for_all_heads(heads.v, H);
    const auto faded = [&](long columns, auto&& power) { return Variable(fading(H, T, columns, q.value(), power)); };
    Variable o = matmul(matmul(q, transpose(k)) * faded(T, [](long i, long j) { return i - j; }), v);
    if (!heads.state) return o;
    Tensor& past = State::of<DecayedState>(*heads.state, *this).past;
    if (past.defined()) o = o + matmul(q * faded(1, [](long i, long) { return i + 1; }), Variable(past));
    const Variable last = k * faded(1, [=](long j, long) { return T - 1 - j; });
    const Tensor now = matmul(transpose(last.value()), v.value());
    past = past.defined() ? now + past * fading(H, 1, 1, q.value(), [=](long, long) { return T; }) : now;
    return o;
  }
  Tensor weights(const Heads& heads, const Mask&, Context&) override {
    const long H = heads.q.size(1), T = heads.q.size(2);
    const Tensor products = matmul(heads.q.value(), transpose(for_all_heads(heads.k, H).value()));
    const double scale = 1 / std::sqrt(double(heads.q.size(3)));
    return products * scale * fading(H, T, T, products, [](long i, long j) { return i - j; });
  }
  std::unique_ptr<State> start(long batch, long max_length) override {
    return std::make_unique<DecayedState>(batch, max_length, *this);
  }
  Capabilities can() const override {
    return {.causal = true,
            .padding = true,  // it comes last, and nobody looks ahead
            .strictly_causal = true,
            .length_free = true,
            .decode = true,
            .any_cut = true,
            .bounded = true,
            .because = "it adds up keys before a query is known"};
  }
};

const RegisteredVariant variant{
    {.name = "decayed-sum",
     .summary = "products without softmax that fade with the distance",
     .formula = "o_i = sum_(j <= i) g^(i - j) <q_i, k_j> v_j",
     .time = {Growth::square},
     .memory = {Growth::square},
     .source = "this test, 2026",
     .year = 2026,
     .when = "as an example of a Core with a State",
     .when_not = "long texts: here every pair is computed",
     .make = [](const VariantOptions&, const MixerOptions& mixer) { return multi_head<DecayedCore>(mixer); }}};

// g^(i - j) as exp((i - j) log g), for all heads and pairs at once.
DenseAttention dense(const OracleCase& c, const Variable& x, const Variable& source) {
  const OracleHeads heads = dense_heads(c, x, source);
  const long H = heads.q.size(1), T = heads.q.size(2);
  std::vector<double> logs;
  for (long h = 0; h < H; h++) logs.push_back(std::log(1 - std::pow(2.0, -double(h + 2))));
  const Tensor distance = reshape(arange(T, f64), {T, 1}) - reshape(arange(T, f64), {1, T});
  const Tensor past = cast(greater_equal(distance, 0.0), f64);
  const Tensor fade = exp(reshape(from_vector(logs, {H}), {H, 1, 1}) * distance * past) * past;
  const Variable weights = dense_products(heads) * Variable(cast(fade, c.dtype));
  return {dense_out(c, matmul(weights, heads.v), T, false), weights};
}

const RegisteredOracle oracle{{.name = "decayed-sum", .dense = dense, .example = true}};

}  // namespace
