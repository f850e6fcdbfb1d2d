#include "models/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "system/error.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check(const SampleOptions& o, long context) {
  HEED_CHECK(o.temperature >= 0 && std::isfinite(o.temperature), "sample", "temperature is ", o.temperature,
             "; it must be 0 (the likeliest) or more");
  HEED_CHECK(o.top_k >= 0, "sample", "top_k is ", o.top_k, "; it must be 0 (all) or more");
  HEED_CHECK(o.top_p > 0 && o.top_p <= 1, "sample", "top_p is ", o.top_p, "; it must be above 0 and at most 1");
  HEED_CHECK(o.length >= 0, "sample", "length is ", o.length, "; it must be 0 or more");
  HEED_CHECK(context >= 2, "sample", "the context is ", context, " bytes; a model of at least 2 can go on");
}

// A number in [0, 1) for every byte of the text, the same for the same seed.
double drawn(uint32_t seed, long place) {
  const RandomKey key{.seed = seed, .step = uint32_t(place), .site = site_hash("sample", 0)};
  return uniform({1}, key, 0, 1, f64).item();
}

std::vector<size_t> likeliest_first(const std::vector<float>& logits) {
  std::vector<size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  return order;
}

// Puts 0 where `keep` of the order does not reach.
void keep_likeliest(std::vector<double>& p, const std::vector<size_t>& order, size_t keep) {
  for (size_t i = keep; i < order.size(); i++) p[order[i]] = 0;
}

size_t draw(const std::vector<double>& p, double u) {
  size_t last = 0;
  for (size_t i = 0; i < p.size(); i++) {
    if (p[i] == 0) continue;
    last = i;
    if ((u -= p[i]) < 0) break;
  }
  return last;
}

// The model's logits for the byte behind the text, whose last `news` bytes it has not seen yet.
std::vector<float> next_logits(Gpt& model, const std::string& news, StackState& state, Context& ctx) {
  std::vector<int64_t> ids;
  for (const char c : news) ids.push_back(uint8_t(c));
  const Tensor logits = model.forward(from_vector(ids, {1, long(ids.size())}), ctx, &state).value();
  return contiguous(select(logits, 1, logits.size(1) - 1)).to_vector<float>();
}

}  // namespace

std::vector<double> shaped_probabilities(const std::vector<float>& logits, const SampleOptions& o) {
  const bool good = std::all_of(logits.begin(), logits.end(), [](float x) { return x < HUGE_VALF; });
  HEED_CHECK(!logits.empty() && good, "sample", "of ", logits.size(),
             " logits some are NaN or infinite; the weights of this model are no good: take an earlier checkpoint");
  std::vector<size_t> order;
  if (o.top_k > 0 || o.top_p < 1 || o.temperature == 0) order = likeliest_first(logits);
  std::vector<double> p(logits.size());
  const double top = *std::max_element(logits.begin(), logits.end()), heat = o.temperature == 0 ? 1 : o.temperature;
  for (size_t i = 0; i < p.size(); i++) p[i] = std::exp((logits[i] - top) / heat);
  if (o.top_k > 0) keep_likeliest(p, order, size_t(o.top_k));
  if (o.temperature == 0) keep_likeliest(p, order, 1);
  const double all = std::accumulate(p.begin(), p.end(), 0.0);
  double kept = 0;
  size_t keep = 0;
  while (keep < order.size() && (keep == 0 || kept < o.top_p * all)) kept += p[order[keep++]];
  if (o.top_p < 1) keep_likeliest(p, order, keep);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

void sample_text(Gpt& model, const std::string& prompt, const SampleOptions& o,
                 const std::function<bool(char)>& write) {
  const long context = model.context();
  check(o, context);
  const NoGrad no_grad;
  Context ctx;
  StackState state = model.start(1, context);
  std::string text = prompt.empty() ? "\n" : prompt,
              news = text.substr(text.size() - std::min<size_t>(text.size(), size_t(context - 1)));
  for (long i = 0; i < o.length; i++) {
    if (state.length() + long(news.size()) > context) {
      state.reset();
      news = text.substr(text.size() - size_t(context / 2));
    }
    const char byte = char(draw(shaped_probabilities(next_logits(model, news, state, ctx), o), drawn(o.seed, i)));
    text += byte, news = byte;
    if (!write(byte)) return;
  }
}

std::string sampled_text(Gpt& model, const std::string& prompt, const SampleOptions& options) {
  std::string text;
  sample_text(model, prompt, options, [&](char c) {
    text += c;
    return true;
  });
  return text;
}

}  // namespace heed
