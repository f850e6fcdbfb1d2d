#include "train/warm_start.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tensor/copy.h"
#include "tensor/views.h"
#include "train/model_tensors.h"

namespace heed {
namespace {

bool is_position_table(const std::string& path, const Tensor& to, const Tensor& from) {
  const bool named = path == "positions.weight" || path.ends_with(".positions.weight");
  return named && to.dims() == 2 && from.dims() == 2 && to.size(1) == from.size(1) && from.size(0) > 0;
}

// Where the other model has what a projection of global tokens begins with; "": it is none
std::string usual_projection(const std::string& path) {
  constexpr const char* kGlobal = "core.global.";
  const size_t at = path.rfind(kGlobal);
  return at == std::string::npos ? "" : path.substr(0, at) + "in." + path.substr(at + std::string(kGlobal).size());
}

// to (n, C) = the rows of from (m, C), again and again
void copy_tiled(const Tensor& to, const Tensor& from) {
  for (long begin = 0; begin < to.size(0); begin += from.size(0)) {
    const long rows = std::min(from.size(0), to.size(0) - begin);
    copy_into(slice(to, 0, begin, begin + rows), slice(from, 0, 0, rows));
  }
}

// "a, b and 3 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kShown; i++) text += (i ? ", " : "") + names[i];
  return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

}  // namespace

std::string WarmStart::text() const {
  const size_t some = taken.size() + tiled.size() + copied.size(), all = some + fresh.size();
  std::string text = std::to_string(some) + " of " + std::to_string(all) + " tensors are taken from " + from;
  if (!copied.empty()) text += "; global projections are copies of the others: " + some_of(copied);
  if (!tiled.empty()) text += "; positions are repeated to fit: " + some_of(tiled);
  if (!fresh.empty()) text += "; new: " + some_of(fresh);
  if (!unused.empty()) text += "; not used: " + some_of(unused);
  return text;
}

WarmStart warm_start(Module& model, const std::vector<NamedTensor>& weights, const std::string& from) {
  std::map<std::string, Tensor> given;
  for (const auto& [name, value] : weights) given[name] = value;
  WarmStart start{.from = from, .taken = {}, .tiled = {}, .copied = {}, .fresh = {}, .unused = {}};
  std::vector<std::pair<Tensor, Tensor>> copies;  // to, from: made when all is known
  std::map<std::string, Tensor> rest = given;
  const auto value_at = [&](const std::string& path) { return given.contains(path) ? given.at(path) : Tensor(); };
  for (const auto& [path, to] : model_tensors(model)) {
    const Tensor own = value_at(path), usual = own.defined() ? Tensor() : value_at(usual_projection(path));
    const Tensor value = own.defined() ? own : usual;
    const bool fits = value.defined() && value.shape() == to.shape();
    const bool tiles = own.defined() && !fits && is_position_table(path, to, own);
    (fits && usual.defined() ? start.copied : fits ? start.taken : tiles ? start.tiled : start.fresh).push_back(path);
    if (!fits && !tiles) continue;
    copies.emplace_back(to, heed::to(value, to.device()));
    rest.erase(path);
  }
  HEED_CHECK(!copies.empty(), "warm_start", "of ", weights.size(), " tensors of ", from, " none fits: the model has ",
             some_of(start.fresh), ". A warm start wants the same width, so that paths and shapes agree");
  for (const auto& [to, value] : copies) value.shape() == to.shape() ? copy_into(to, value) : copy_tiled(to, value);
  for (const auto& [name, value] : rest) start.unused.push_back(name);
  return start;
}

}  // namespace heed
