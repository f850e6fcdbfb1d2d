#include "tasks/language/leak_probe.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>

#include "system/error.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

std::vector<float> logits_up_to(Gpt& model, const std::vector<int64_t>& ids, long place) {
  Context ctx;
  const Tensor logits = model.forward(from_vector(ids, {1, long(ids.size())}), ctx).value();  // (1, T, V)
  return slice(logits, 1, 0, place + 1).to_vector<float>();
}

// To the bit; a NaN is what the score tells, and no leak.
bool same(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

// Every token behind the place becomes another one.
std::vector<int64_t> changed_behind(std::vector<int64_t> ids, long place, long V) {
  for (long t = place + 1; t < long(ids.size()); t++) ids[size_t(t)] = (ids[size_t(t)] + 1 + t % (V - 1)) % V;
  return ids;
}

// The first and the last that have something behind them, some between them, and both sides of where tiles end.
std::set<long> places_in(long T) {
  std::set<long> places;
  for (const long place : {0L, T / 4, T / 2 - 1, T / 2, 3 * T / 4, T - 2, 63L, 64L})
    if (place >= 0 && place + 1 < T) places.insert(place);
  return places;
}

}  // namespace

long probe_leaks(Gpt& model, const TokenSplit& text, long wanted) {
  const NoGrad no_grad;
  const long T = std::min(wanted ? wanted : model.context(), text.size()), V = model.vocabulary_size();
  if (T < 2 || V < 2) return 0;
  const std::vector<int64_t> ids = text.windows_at({0}, {0}, T).inputs.to_vector<int64_t>();
  const std::set<long> places = places_in(T);
  const std::vector<float> whole = logits_up_to(model, ids, T - 1);
  for (const long place : places) {
    const std::vector<float> now = logits_up_to(model, changed_behind(ids, place, V), place);
    const auto differs = std::mismatch(now.begin(), now.end(), whole.begin(), same).first;
    HEED_CHECK(differs == now.end(), "leak_probe", "the model looks ahead: with other ", text.vocabulary().units(),
               " behind place ", place, " of ", T, " it says something else at place ", (differs - now.begin()) / V,
               ". Its score means nothing");
  }
  return long(places.size());
}

}  // namespace heed
