#include "attention/seeing/visible.h"

#include <algorithm>
#include <map>

#include "attention/seeing/plan.h"
#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/views.h"

namespace heed {
namespace {

KeyRange meet(const KeyRange& a, const KeyRange& b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }

long floor_div(long a, long b) { return a >= 0 ? a / b : -ceil_div(-a, b); }

KeyRange window(long p, long left, long right, long step, long S) {
  return {left < 0 ? 0 : p - left * step, right < 0 ? S - 1 : p + right * step};
}

// What a query at position p sees by its place alone.
KeyRange range_of(const Mask& mask, const Pattern& pattern, long p, long S) {
  KeyRange range = pattern.range(p, S);
  if (mask.causal) range = meet(range, {0, p});
  return meet(range, window(p, mask.window_left, mask.window_right, 1, S));
}

// The segments of one sample, (S): the range of each token's own run, if no segment comes back after it has ended.
bool runs_of(const int64_t* segments, long S, std::vector<KeyRange>& runs) {
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

// The labels of the queries: those of the tokens at their positions. Before the first token (T > S) only the rest
// counts.
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

// The token at a place; one list for all, or one per head or sample.
long index_at(const Tensor& index, long b, long h, long place) {
  const long heads = index.size(1), list = (index.size(0) > 1 ? b : 0) * heads + (heads > 1 ? h : 0);
  return index.data<int32_t>()[list * index.size(2) + place];
}

}  // namespace

KeyRange Pattern::range(long p, long S) const {
  const KeyRange range = meet({0, S - 1}, window(p, window_left, window_right, dilation, S));
  if (block == 0) return range;
  const long own = floor_div(p + first_key, block);
  const long first = (own - blocks_back) * block - margin_left;
  const long last = (own + blocks_forward + 1) * block - 1 + margin_right;
  return meet(range, {first - first_key, last - first_key});
}

bool Pattern::sees(long p, long j) const {
  const KeyRange keys = range(p, j + 1);
  return j >= keys.first && j <= keys.last && (j - p) % dilation == 0;
}

long Visible::query_places() const { return plan ? plan->shape.T : T; }
long Visible::key_places() const { return plan ? plan->shape.S : S; }
long Visible::query_token(long b, long h, long place) const {
  return plan && plan->query_index.defined() ? index_at(plan->query_index, b, h, place) : place;
}
long Visible::key_token(long b, long h, long place) const {
  return plan && plan->key_index.defined() ? index_at(plan->key_index, b, h, place) : place;
}

std::vector<Tensor> Visible::tensors() const {
  std::vector<Tensor> all = {first, last, query_labels, key_labels, allow};
  if (plan) all.push_back(plan->query_index), all.push_back(plan->key_index);
  std::erase_if(all, [](const Tensor& x) { return !x.defined(); });
  return all;
}

Visible visible_pairs(const char* op, const Mask& mask, const Pattern& pattern, const Shape& shape) {
  const long B = shape[0], H = shape[1], T = shape[2], S = shape[3];
  mask.check(op, B, H, T, S);
  Tensor lengths = contiguous_or_none(mask.lengths);
  Tensor segments = contiguous_or_none(mask.segments);
  const int64_t* segment = segments.defined() ? segments.data<int64_t>() : nullptr;
  std::vector<KeyRange> runs(segment ? size_t(B * S) : 0);
  bool in_runs = segment != nullptr;
  for (long b = 0; b < B && in_runs; b++) {
    std::vector<KeyRange> own(static_cast<size_t>(S));
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
      KeyRange range = range_of(mask, pattern, p, S);
      if (lengths.defined()) range = meet(range, {0, lengths.data<int64_t>()[b] - 1});
      if (in_runs) range = meet(range, runs[size_t(b * S + p)]);
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

namespace {

// Rows begin .. end of what all but the plan allow, by tokens; expanded where heads or samples are alike.
Tensor seen_tokens(const Visible& v, long begin, long end) {
  const bool labelled = v.key_labels.defined();
  const long samples = v.first.size(0) > 1 || (labelled && v.key_labels.size(0) > 1) ? v.B : 1, rows = end - begin;
  const auto at = [&](const Tensor& x, long b) { return x.data<int32_t>() + (x.size(0) > 1 ? b * x.size(1) : 0); };
  Tensor seen = Tensor::empty({samples, 1, rows, v.S}, boolean);
  bool* out = seen.mutable_data<bool>();
  for (long b = 0; b < samples; b++)
    for (long i = begin; i < end; i++, out += v.S) {
      const int32_t low = at(v.first, b)[i], high = at(v.last, b)[i];
      for (long j = 0; j < v.S; j++) out[j] = j >= low && j <= high;
      for (long j = 0; labelled && j < v.S; j++) out[j] = out[j] && at(v.key_labels, b)[j] == at(v.query_labels, b)[i];
    }
  if (v.allow.defined()) seen = logical_and(seen, slice(expand(v.allow, {v.B, v.H, v.T, v.S}), 2, begin, end));
  return expand(seen, {v.B, v.H, rows, v.S});
}

}  // namespace

Tensor Visible::dense() const { return contiguous(dense(0, query_places())); }

Tensor Visible::dense(long begin, long end) const {
  if (!plan) return seen_tokens(*this, begin, end);
  plan->check("attention", {B, H, T, S});
  const bool whole = plan->query_index.defined();  // its rows may be any
  const long first_row = whole ? 0 : begin, rows = end - begin, keys = key_places();
  const Tensor tokens = contiguous(seen_tokens(*this, first_row, whole ? T : end));
  Tensor seen = Tensor::empty({B, H, rows, keys}, boolean);
  bool* out = seen.mutable_data<bool>();
  for (long b = 0; b < B; b++)
    for (long h = 0; h < H; h++)
      for (long i = begin; i < end; i++)
        for (long j = 0; j < keys; j++) {
          const long query = query_token(b, h, i), key = key_token(b, h, j);
          *out++ = query >= 0 && key >= 0 && plan->sees(b, h, i, j) &&
                   tokens.data<bool>()[((b * H + h) * tokens.size(2) + query - first_row) * S + key];
        }
  return seen;
}

}  // namespace heed
