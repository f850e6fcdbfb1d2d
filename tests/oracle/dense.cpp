#include "tests/oracle/dense.h"

#include <cmath>
#include <limits>

#include "tests/support/compare.h"

using namespace heed;

namespace {

using Row = std::vector<double>;

// y = w x + b for every token: (B, T, in) -> B * T rows of (count), by the rows first.. of the layer `name`
std::vector<Row> project(Module& mixer, const std::string& name, const Tensor& x, long first, long count) {
  const Tensor w = parameter_of(mixer, name + ".weight"), b = parameter_of(mixer, name + ".bias");
  BOOST_TEST_REQUIRE(w.defined(), "the oracle knows mixers with a parameter " << name << ".weight only");
  const long in = w.size(1), tokens = x.numel() / in;
  const Row weight = w.to_vector<double>(), values = x.to_vector<double>();
  const Row bias = b.defined() ? b.to_vector<double>() : Row(size_t(w.size(0)), 0.0);
  std::vector<Row> y;
  for (long t = 0; t < tokens; t++) {
    y.emplace_back(bias.begin() + first, bias.begin() + first + count);
    for (long o = 0; o < count; o++)
      for (long c = 0; c < in; c++)
        y.back()[size_t(o)] += weight[size_t((first + o) * in + c)] * values[size_t(t * in + c)];
  }
  return y;
}

// The channels of one head
Row head_of(const Row& row, long h, long width) { return Row(row.begin() + h * width, row.begin() + (h + 1) * width); }

// Rows (B * T) of heads of D channels, each rotated by its position t: channels c and c + D/2 by t / 10000^(2c/D)
void rotate_by_positions(std::vector<Row>& rows, long T, long D) {
  for (size_t at = 0; at < rows.size(); at++)
    for (size_t c = 0; c < rows[at].size(); c++) {
      const size_t pair = c % size_t(D), half = size_t(D) / 2;
      if (pair >= half) continue;
      const double angle = double(long(at) % T) * std::pow(10000.0, -2.0 * double(pair) / double(D));
      double &a = rows[at][c], &b = rows[at][c + half];
      const double rotated = a * std::cos(angle) - b * std::sin(angle);
      b = a * std::sin(angle) + b * std::cos(angle), a = rotated;
    }
}

// exp(s) / sum exp(s); -infinity counts for nothing, and of nothing there are zeros
Row normalised(Row s) {
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  for (double x : s) top = std::max(top, x);
  for (double& x : s) x = std::isinf(x) ? 0 : std::exp(x - top), total += x;
  for (double& x : s) x = total > 0 ? x / total : 0;
  return s;
}

struct Problem {
  const Oracle& oracle;
  VariantOptions options;
  const MixerOptions& sizes;
  const Mask& mask;
  long T, S, D, Dv, queries_per_key;
  std::vector<Row> q, k, v;
  Shape shape = {};
  Row learned = {};  // the core's own parameter
};

bool sees(const Oracle& oracle, const VariantOptions& options, const Mask& mask, const Mask::Pair& p, long T, long S) {
  return mask.sees(p, T, S) && oracle.sees(options, {p.h, p.i + S - T, p.j, S});
}

Row weights_of(const Problem& p, long b, long h, long i) {
  const Row q = head_of(p.q[size_t(b * p.T + i)], h, p.D);
  Row scores(size_t(p.S), -std::numeric_limits<double>::infinity());
  for (long j = 0; j < p.S; j++) {
    if (!sees(p.oracle, p.options, p.mask, {b, h, i, j}, p.T, p.S)) continue;
    const Row k = head_of(p.k[size_t(b * p.S + j)], h / p.queries_per_key, p.D);
    double product = 0;
    for (size_t c = 0; c < k.size(); c++) product += q[c] * k[c];
    scores[size_t(j)] = product / std::sqrt(double(p.D));
    const OracleScore score{{h, i + p.S - p.T, j, p.S}, p.sizes, p.mask.causal, q, k, p.shape, p.learned};
    if (p.oracle.score) scores[size_t(j)] = p.oracle.score(p.options, score);
    if (p.oracle.bias) scores[size_t(j)] += p.oracle.bias(p.options, score);
  }
  return normalised(scores);
}

const Oracle& oracle_of(const std::string& spec) {
  const Oracle* oracle = all_oracles.find_or_null(find_variant(spec).name);
  BOOST_TEST_REQUIRE(oracle != nullptr, "no oracle for " << spec);
  return *oracle;
}

Problem problem_of(const std::string& spec, const MixerOptions& sizes, Mixer& mixer, const Tensor& x, const Tensor& y,
                   const Mask& mask) {
  const long D = sizes.head_width > 0 ? sizes.head_width : sizes.C / sizes.heads;
  const long Dv = sizes.value_width > 0 ? sizes.value_width : D,
             Hk = sizes.key_heads > 0 ? sizes.key_heads : sizes.heads;
  const long keys = sizes.heads * D, values = keys + Hk * D;  // rows of in.weight: queries, keys, values
  Problem p{.oracle = oracle_of(spec),
            .options = options_of(spec),
            .sizes = sizes,
            .mask = mask,
            .T = x.size(1),
            .S = y.size(1),
            .D = D,
            .Dv = Dv,
            .queries_per_key = sizes.heads / Hk,
            .q = project(mixer, "in", x, 0, keys),
            .k = project(mixer, "in", y, keys, Hk * D),
            .v = project(mixer, "in", y, values, Hk * Dv)};
  if (sizes.rotary) rotate_by_positions(p.q, p.T, D), rotate_by_positions(p.k, p.S, D);
  for (Parameter* own : mixer.parameters())
    if (own->path.starts_with("core."))
      p.shape = own->value.shape(), p.learned = own->value.value().to_vector<double>();
  return p;
}

}  // namespace

Tensor parameter_of(Module& module, const std::string& path) {
  for (Parameter* p : module.parameters())
    if (p->path == path) return p->value.value();
  return Tensor();
}

Tensor dense_visible(const std::string& spec, const Mask& mask, const Shape& shape) {
  const Oracle& oracle = oracle_of(spec);
  const VariantOptions options = options_of(spec);
  Tensor seen = Tensor::empty(shape, boolean);
  bool* out = seen.mutable_data<bool>();
  for_each_index(shape, [&](const Shape& at) {
    *out++ = sees(oracle, options, mask, {at[0], at[1], at[2], at[3]}, shape[2], shape[3]);
  });
  return seen;
}

DenseAttention dense_attention(const std::string& spec, const MixerOptions& sizes, Mixer& mixer, const Tensor& x,
                               const Tensor& source, const Mask& mask) {
  const Problem p = problem_of(spec, sizes, mixer, x, source.defined() ? source : x, mask);
  const long B = x.size(0), H = sizes.heads;
  DenseAttention dense{.out = Tensor::empty(x.shape(), f64), .weights = Tensor::empty({B, H, p.T, p.S}, f64)};
  Tensor collected = Tensor::empty({B, p.T, H * p.Dv}, f64);
  double *weights = dense.weights.mutable_data<double>(), *o = collected.mutable_data<double>();
  for_each_index({B, H, p.T}, [&](const Shape& at) {
    const Row row = weights_of(p, at[0], at[1], at[2]);
    weights = std::copy(row.begin(), row.end(), weights);
    for (long c = 0; c < p.Dv; c++) {
      double total = 0;
      for (long j = 0; j < p.S; j++)
        if (row[size_t(j)] > 0)
          total += row[size_t(j)] * p.v[size_t(at[0] * p.S + j)][size_t(at[1] / p.queries_per_key * p.Dv + c)];
      o[(at[0] * p.T + at[2]) * H * p.Dv + at[1] * p.Dv + c] = total;
    }
  });
  const std::vector<Row> rows = project(mixer, "out", collected, 0, sizes.C);
  double* out = dense.out.mutable_data<double>();
  for (size_t t = 0; t < rows.size(); t++) {
    // a query of a padded token is no query: its row is zero
    const bool padded = !source.defined() && mask.lengths.defined() &&
                        long(t) % p.T + p.S - p.T >= long(mask.lengths.at({long(t) / p.T}));
    for (double value : rows[t]) *out++ = padded ? 0 : value;
  }
  return dense;
}
