#include "attention/pattern_core.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "attention/seeing/plan.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

// (H, T + S - 1): -m_h |d| for d = 1 - T .. S - 1
Tensor alibi_table(long H, long T, long S, DType dtype) {
  const std::vector<double> slopes = alibi_slopes(H);
  std::vector<double> values;
  for (double slope : slopes)
    for (long d = 1 - T; d < S; d++) values.push_back(-slope * double(std::abs(d)));
  return cast(from_vector(values, {H, T + S - 1}), dtype);
}

}  // namespace

std::vector<double> alibi_slopes(long heads) {
  const long whole = long(std::bit_floor(size_t(std::max(1L, heads))));
  std::vector<double> slopes;
  for (long h = 0; h < whole; h++) slopes.push_back(std::exp2(-8.0 * double(h + 1) / double(whole)));
  for (long t = 0; whole + t < heads; t++) slopes.push_back(std::exp2(-4.0 * double(2 * t + 1) / double(whole)));
  slopes.resize(size_t(heads));
  return slopes;
}

long t5_bucket(long d, bool causal, long buckets, long furthest) {
  const long half = causal ? buckets : buckets / 2, first = !causal && d < 0 ? half : 0, exact = half / 2;
  const long away = causal ? std::max(0L, d) : std::abs(d);
  if (away < exact) return first + away;
  const double steps = std::log(double(away) / double(exact)) / std::log(double(furthest) / double(exact));
  return first + std::min(half - 1, exact + long(steps * double(half - exact)));
}

PatternCore::PatternCore(const MixerSizes& sizes, const PatternOptions& options)
    : options_(options), dropout_(sizes.dropout) {
  check_head_channels("attention", sizes.head_width, sizes.value_width);
  if (options.bias == PositionBias::t5)
    table_ = &parameter("bias", {options.buckets, sizes.heads}, init::normal(0.02), false);
  if (options.bias == PositionBias::shaw)
    table_ = &parameter("bias", {2 * options.clip + 1, sizes.head_width}, init::normal(0.02), false);
}

Capabilities PatternCore::can() const {
  const Pattern& p = options_.pattern;
  const bool all = p.window_left < 0 && p.window_right < 0 && p.dilation == 1 && p.block == 0;
  return {.causal = true,
          .strictly_causal = true,
          .padding = true,
          .cross = all,
          .decode = true,
          .exact = all,
          .rotary = options_.bias != PositionBias::shaw};  // whose term would see how q was rotated
}

long PatternCore::reach() const {
  if (options_.globals > 0) return -1;  // what is kept has no gaps, and the first tokens are needed to the end
  const Pattern& p = options_.pattern;
  const long window = p.window_left < 0 ? -1 : p.window_left * p.dilation;
  const long blocks = p.block == 0 ? -1 : (p.blocks_back + 1) * p.block - 1;
  return window < 0 ? blocks : blocks < 0 ? window : std::min(window, blocks);
}

Visible PatternCore::seen(const Heads& heads, const Mask& mask, Context& ctx) const {
  const Shape shape{heads.q.size(0), heads.q.size(1), heads.q.size(2), heads.k.size(2)};
  Pattern pattern = options_.pattern;
  pattern.first_key = heads.first_key;
  if (options_.globals == 0) return visible_pairs("attention", mask, pattern, shape);
  Visible visible = visible_pairs("attention", mask, {}, shape);
  visible.plan = plan(shape[2], shape[3], ctx);
  return visible;
}

// Kept between steps for whole sequences; while decoding S is another one every time.
std::shared_ptr<const Plan> PatternCore::plan(long T, long S, Context& ctx) const {
  const Pattern& p = options_.pattern;
  const auto make = [&] { return plan_of_globals(T, S, p, options_.globals); };
  if (T != S) return std::make_shared<const Plan>(make());
  std::string key = "globals";
  for (long number :
       {T, p.window_left, p.window_right, p.dilation, p.block, p.blocks_back, p.blocks_forward, options_.globals})
    key.append(" ").append(std::to_string(number));
  return ctx.plan<Plan>(key, make);
}

SoftmaxInputs PatternCore::inputs(const Heads& heads, const Mask& mask) const {
  const long H = heads.q.size(1), T = heads.q.size(2), S = heads.k.size(2);
  SoftmaxInputs in{heads.q, heads.k, heads.v};
  if (T + S == 0) return in;  // there are no distances, not even one
  if (options_.bias == PositionBias::alibi) in.by_distance = alibi_table(H, T, S, heads.q.dtype());
  if (options_.bias == PositionBias::t5) {
    std::vector<int64_t> buckets;
    for (long d = 1 - T; d < S; d++) buckets.push_back(t5_bucket(d, mask.causal, options_.buckets, options_.furthest));
    in.by_distance = transpose(embedding(*table_, from_vector(buckets, {T + S - 1})));
  }
  if (options_.bias == PositionBias::shaw)
    in.by_query = matmul(heads.q, transpose(*table_)) / std::sqrt(double(heads.q.size(3)));
  return in;
}

Variable PatternCore::attend(const Heads& heads, const Mask& mask, Context& ctx) {
  SoftmaxOptions options;
  if (ctx.train && dropout_ > 0) options.dropout = dropout_, options.key = ctx.random(*this);
  return softmax_attention(inputs(heads, mask), seen(heads, mask, ctx), options).o;
}

Tensor PatternCore::weights(const Heads& heads, const Mask& mask, Context& ctx) {
  return softmax_attention_weights(inputs(heads, mask), seen(heads, mask, ctx));
}

std::vector<VariantOption> bias_options() {
  return {{.name = "bias", .help = "by distance", .standard = "none", .choices = {"none", "alibi", "t5", "shaw"}},
          {.name = "clip", .help = "shaw: the largest distance told apart", .standard = "16", .low = 0, .high = 4096}};
}

void read_bias(PatternOptions& to, const VariantOptions& options) {
  const std::string& word = options.word("bias");
  to.bias = word == "alibi"  ? PositionBias::alibi
            : word == "t5"   ? PositionBias::t5
            : word == "shaw" ? PositionBias::shaw
                             : PositionBias::none;
  to.clip = options.number("clip");
}

}  // namespace heed
