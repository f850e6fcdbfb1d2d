#include "attention/visible.h"

#include <algorithm>
#include <map>

#include "tensor/compare.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

struct Range {
  long first, last;
  Range meet(const Range& other) const { return {std::max(first, other.first), std::min(last, other.last)}; }
};

long floor_div(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Range window(long p, long left, long right, long step, long S) {
  return {left < 0 ? 0 : p - left * step, right < 0 ? S - 1 : p + right * step};
}

// What a query at position p sees by its place alone.
Range range_of(const Mask& mask, const Pattern& pattern, long p, long S) {
  Range range{0, S - 1};
  if (mask.causal) range = range.meet({0, p});
  range = range.meet(window(p, mask.window_left, mask.window_right, 1, S));
  range = range.meet(window(p, pattern.window_left, pattern.window_right, pattern.dilation, S));
  if (pattern.block > 0) {
    const long own = floor_div(p + pattern.first_key, pattern.block), first = own - pattern.blocks_back;
    range = range.meet({first * pattern.block - pattern.first_key,
                        (own + pattern.blocks_forward + 1) * pattern.block - 1 - pattern.first_key});
  }
  return range;
}

// The segments of one sample, (S): the range of each token's own run, if no segment comes back after it has ended.
bool runs_of(const int64_t* segments, long S, std::vector<Range>& runs) {
  std::map<int64_t, long> seen;
  for (long begin = 0, end; begin < S; begin = end) {
    for (end = begin; end < S && segments[end] == segments[begin];) end++;
    if (!seen.emplace(segments[begin], begin).second) return false;
    for (long j = begin; j < end; j++) runs[size_t(j)] = {begin, end - 1};
  }
  return true;
}

// Labels: equal iff the segments (or null) are equal and the positions leave the same rest.
void label(int32_t* labels, const int64_t* segments, long S, long dilation) {
  std::map<int64_t, int32_t> numbers;
  for (long j = 0; j < S; j++) {
    const int32_t number = segments ? numbers.try_emplace(segments[j], int32_t(numbers.size())).first->second : 0;
    labels[j] = int32_t(number * dilation + j % dilation);
  }
}

// The labels of the queries: those of the tokens at their positions. Before the first token (T > S) only the rest counts.
Tensor query_labels_of(const Tensor& key_labels, long T, long dilation) {
  const long rows = key_labels.size(0), S = key_labels.size(1);
  Tensor labels = Tensor::empty({rows, T}, i32);
  for (long b = 0; b < rows; b++)
    for (long i = 0; i < T; i++) {
      const long p = i + S - T;
      labels.mutable_data<int32_t>()[b * T + i] =
          p >= 0 ? key_labels.data<int32_t>()[b * S + p] : int32_t(p - floor_div(p, dilation) * dilation);
    }
  return labels;
}

}  // namespace

Visible visible_pairs(const char* op, const Mask& mask, const Pattern& pattern, const Shape& shape) {
  const long B = shape[0], H = shape[1], T = shape[2], S = shape[3];
  mask.check(op, B, H, T, S);
  Tensor lengths = contiguous_or_none(mask.lengths);
  Tensor segments = contiguous_or_none(mask.segments);
  const int64_t* segment = segments.defined() ? segments.data<int64_t>() : nullptr;
  std::vector<Range> runs(segment ? size_t(B * S) : 0);
  bool in_runs = segment != nullptr;
  for (long b = 0; b < B && in_runs; b++) {
    std::vector<Range> own(static_cast<size_t>(S));
    in_runs = runs_of(segment + b * S, S, own);
    std::copy(own.begin(), own.end(), runs.begin() + b * S);
  }
  Visible v{B, H, T, S};
  const long rows = lengths.defined() || in_runs ? B : 1;
  v.first = Tensor::empty({rows, T}, i32), v.last = Tensor::empty({rows, T}, i32);
  int32_t *first = v.first.mutable_data<int32_t>(), *last = v.last.mutable_data<int32_t>();
  for (long b = 0; b < rows; b++)
    for (long i = 0; i < T; i++) {
      const long p = i + S - T;
      Range range = range_of(mask, pattern, p, S);
      if (lengths.defined()) range = range.meet({0, lengths.data<int64_t>()[b] - 1});
      if (in_runs) range = range.meet(runs[size_t(b * S + p)]);
      if (range.first > range.last) range = {1, 0};
      first[b * T + i] = int32_t(range.first), last[b * T + i] = int32_t(range.last);
    }
  if (pattern.dilation > 1 || (segment && !in_runs)) {
    const bool by_sample = segment && !in_runs;
    v.key_labels = Tensor::empty({by_sample ? B : 1, S}, i32);
    for (long b = 0; b < v.key_labels.size(0); b++)
      label(v.key_labels.mutable_data<int32_t>() + b * S, by_sample ? segment + b * S : nullptr, S, pattern.dilation);
    v.query_labels = query_labels_of(v.key_labels, T, pattern.dilation);
  }
  v.allow = mask.allow;
  return v;
}

Tensor Visible::dense() const { return contiguous(dense(0, T)); }

Tensor Visible::dense(long begin, long end) const {
  const bool labelled = key_labels.defined();
  const long samples = first.size(0) > 1 || (labelled && key_labels.size(0) > 1) ? B : 1, rows = end - begin;
  const auto at = [&](const Tensor& x, long b) { return x.data<int32_t>() + (x.size(0) > 1 ? b * x.size(1) : 0); };
  Tensor seen = Tensor::empty({samples, 1, rows, S}, boolean);
  bool* out = seen.mutable_data<bool>();
  for (long b = 0; b < samples; b++)
    for (long i = begin; i < end; i++, out += S) {
      const int32_t low = at(first, b)[i], high = at(last, b)[i];
      for (long j = 0; j < S; j++) out[j] = j >= low && j <= high;
      for (long j = 0; labelled && j < S; j++) out[j] = out[j] && at(key_labels, b)[j] == at(query_labels, b)[i];
    }
  if (allow.defined()) seen = logical_and(seen, slice(expand(allow, {B, H, T, S}), 2, begin, end));
  return expand(seen, {B, H, rows, S});
}

}  // namespace heed
