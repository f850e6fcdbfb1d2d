// From logits to the probabilities by which a token is drawn: temperature, top-k, top-p.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/sampler.h"
#include "system/error.h"

namespace heed {
namespace {

// All of them, the `count` likeliest in front and in order; of equals the first comes first.
std::vector<size_t> likeliest_first(std::span<const float> logits, size_t count) {
  std::vector<size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](size_t a, size_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; };
  const auto middle = order.begin() + long(std::min(count, order.size()));
  if (middle != order.end()) std::nth_element(order.begin(), middle, order.end(), before);
  std::sort(order.begin(), middle, before);
  return order;
}

// Puts 0 where `keep` of the order does not reach.
void keep_likeliest(std::vector<double>& p, const std::vector<size_t>& order, size_t keep) {
  for (size_t i = keep; i < order.size(); i++) p[order[i]] = 0;
}

// How many of the likeliest have this share of all probability together: at least one.
size_t fewest_with(double share, const std::vector<double>& p, const std::vector<size_t>& order) {
  const double enough = share * std::accumulate(p.begin(), p.end(), 0.0);
  double sum = 0;
  size_t count = 0;
  while (count < order.size() && (count == 0 || sum < enough)) sum += p[order[count++]];
  return count;
}

}  // namespace

std::vector<double> shaped_probabilities(std::span<const float> logits, const SampleOptions& o) {
  const bool good = std::all_of(logits.begin(), logits.end(), [](float x) { return x < HUGE_VALF; });
  HEED_CHECK(!logits.empty() && good, "sample", "of ", logits.size(),
             " logits some are NaN or infinite; the weights of this model are no good: take an earlier checkpoint");
  const size_t k = o.temperature == 0 ? 1 : o.top_k > 0 ? size_t(o.top_k) : logits.size();
  std::vector<size_t> order;
  if (k < logits.size() || o.top_p < 1) order = likeliest_first(logits, k);
  std::vector<double> p(logits.size());
  const double top = *std::max_element(logits.begin(), logits.end()), heat = o.temperature == 0 ? 1 : o.temperature;
  for (size_t i = 0; i < p.size(); i++) p[i] = std::exp((logits[i] - top) / heat);
  keep_likeliest(p, order, k);
  if (o.top_p < 1) keep_likeliest(p, order, fewest_with(o.top_p, p, order));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

}  // namespace heed
