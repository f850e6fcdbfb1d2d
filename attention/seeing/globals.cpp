#include "attention/seeing/globals.h"

#include <algorithm>

#include "attention/seeing/visible_once.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"

namespace heed {

bool GlobalPositions::holds(long p) const { return p < first || std::binary_search(at.begin(), at.end(), p); }

long GlobalPositions::last() const { return std::max(first, at.empty() ? 0 : at.back() + 1) - 1; }

std::vector<long> GlobalPositions::between(long begin, long end) const {
  std::vector<long> all;
  for (long p = begin; p < std::min(end, last() + 1); p++)
    if (holds(p)) all.push_back(p);
  return all;
}

std::string GlobalPositions::text() const {
  std::string text = "globals " + std::to_string(first);
  for (const long p : at) text.append(" ").append(std::to_string(p));
  return text;
}

Globals globals_among(const GlobalPositions& positions, long before, long T, const Tensor& marks, Device device) {
  const long lists = marks.defined() ? marks.size(0) : 1;
  std::vector<bool> flags = marks.defined() ? to(marks, cpu).to_vector<bool>() : std::vector<bool>(size_t(T), false);
  for (const long p : positions.between(before, before + T))
    for (long b = 0; b < lists; b++) flags[size_t(b * T + p - before)] = true;
  std::vector<std::vector<int32_t>> of(static_cast<size_t>(lists));
  for (long at = 0; at < lists * T; at++)
    if (flags[size_t(at)]) of[size_t(at / T)].push_back(int32_t(at % T));
  size_t most = 0;
  for (const auto& list : of) most = std::max(most, list.size());
  std::vector<int32_t> index;
  for (auto& list : of) {
    list.resize(most, -1);
    index.insert(index.end(), list.begin(), list.end());
  }
  Globals made{.flags = from_vector(flags, {lists, T}), .index = from_vector(index, {lists, long(most)})};
  if (most > 0) made.rows = checked_rows("attention", made.index, T, device);
  made.marks = marks;
  made.text = positions.text();
  return made;
}

std::shared_ptr<const Globals> globals_once(Context& ctx, const GlobalPositions& positions, long T, const Tensor& marks,
                                            Device device) {
  return made_once<Globals>(
      ctx, positions.text() + " of " + std::to_string(T) + " on " + text_of(device), {},
      [&] { return globals_among(positions, 0, T, marks, device); }, marks);
}

}  // namespace heed
