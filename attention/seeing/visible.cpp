#include "attention/seeing/visible.h"

#include <algorithm>
#include <map>

#include "system/ceil_div.h"
#include "tensor/create.h"
#include "tensor/ops/rows.h"
#include "tensor/views.h"

namespace heed {
namespace {

KeyRange meet(const KeyRange& a, const KeyRange& b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }

long floor_div(long a, long b) { return a >= 0 ? a / b : -ceil_div(-a, b); }

KeyRange window(long p, long left, long right, long step, long S) {
  return {left < 0 ? 0 : p - left * step, right < 0 ? S - 1 : p + right * step};
}

// The segments of one sample, (S): the range of each token's own run, if no segment comes back after it has ended.
bool runs_of(const int64_t* segments, long S, KeyRange* runs) {
  std::map<int64_t, long> seen;
  for (long begin = 0, end; begin < S; begin = end) {
    for (end = begin; end < S && segments[end] == segments[begin];) end++;
    if (!seen.emplace(segments[begin], begin).second) return false;
    for (long j = begin; j < end; j++) runs[j] = {begin, end - 1};
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
std::vector<int32_t> query_labels_of(const std::vector<int32_t>& key_labels, long rows, long S, long T, long dilation) {
  std::vector<int32_t> labels;
  for (long b = 0; b < rows; b++)
    for (long p = S - T; p < S; p++)
      labels.push_back(p >= 0 ? key_labels[size_t(b * S + p)] : int32_t(p - floor_div(p, dilation) * dilation));
  return labels;
}

// What a mask says, with its tensors read once: ranges, and the segments that are none.
class MaskReader {
 public:
  MaskReader(const Mask& mask, const Shape& shape)
      : mask_(mask),
        S_(shape[3]),
        lengths_(read(mask.lengths)),
        segments_(read(mask.segments)),
        ranges_(read(mask.ranges)) {
    if (!mask.segments.defined()) return;
    runs_.resize(size_t(shape[0] * S_));
    for (long b = 0; b < shape[0] && in_runs_; b++) in_runs_ = runs_of(segments_of(b), S_, runs_.data() + b * S_);
  }

  bool by_sample() const {  // do the ranges differ so?
    return mask_.lengths.defined() || (mask_.segments.defined() && in_runs_) || ranges_differ();
  }
  bool labelled() const { return mask_.segments.defined() && !in_runs_; }  // segments come back
  const int64_t* segments_of(long b) const { return segments_.data() + b * S_; }
  const Tensor& allow() const { return mask_.allow; }

  // The part of `range` that it allows query i of sample b, at position p.
  KeyRange within(KeyRange range, long b, long i, long p) const {
    if (mask_.ranges.defined()) {
      const int64_t* own = ranges_.data() + (ranges_differ() ? b * mask_.ranges.size(1) + i : i) * 2;
      range = meet(range, {own[0], own[1]});
    }
    range = meet(range, window(p, mask_.window_left, mask_.window_right, 1, S_));
    if (mask_.causal) range = meet(range, {0, p});
    if (mask_.lengths.defined()) range = meet(range, {0, lengths_[size_t(b)] - 1});
    return mask_.segments.defined() && in_runs_ ? meet(range, runs_[size_t(b * S_ + p)]) : range;
  }

 private:
  static std::vector<int64_t> read(const Tensor& x) {
    return x.defined() ? x.to_vector<int64_t>() : std::vector<int64_t>();
  }
  bool ranges_differ() const { return mask_.ranges.defined() && mask_.ranges.size(0) > 1; }

  const Mask& mask_;
  long S_;
  std::vector<int64_t> lengths_, segments_, ranges_;
  bool in_runs_ = true;         // no segment comes back after it has ended, in any sample:
  std::vector<KeyRange> runs_;  // (B, S), then each token's own
};

// Labels for segments that come back, and for the rests of a dilation.
void add_labels(Visible& v, const MaskReader& mask, long dilation) {
  const long rows = mask.labelled() ? v.B : 1;
  std::vector<int32_t> keys(static_cast<size_t>(rows * v.S));
  for (long b = 0; b < rows; b++)
    label(keys.data() + b * v.S, mask.labelled() ? mask.segments_of(b) : nullptr, v.S, dilation);
  v.key_labels = from_vector(keys, {rows, v.S});
  v.query_labels = from_vector(query_labels_of(keys, rows, v.S, v.T, dilation), {rows, v.T});
}

// How many lists of ranges there are: one for all samples or heads, or one for each.
struct Lists {
  long samples, heads;
};

// What the mask leaves of keys(b, h, i), a range.
template <class Keys>
Visible seen_by(const MaskReader& mask, const Shape& shape, const Lists& lists, long dilation, const Keys& keys) {
  Visible v{shape[0], shape[1], shape[2], shape[3]};
  std::vector<int32_t> first, last;
  for (long list = 0; list < lists.samples * lists.heads; list++)
    for (long i = 0; i < v.T; i++) {
      const long b = list / lists.heads, h = list % lists.heads;
      KeyRange range = mask.within(meet(keys(b, h, i), {0, v.S - 1}), b, i, i + v.S - v.T);
      if (range.first > range.last) range = kNoKeys;
      first.push_back(int32_t(range.first)), last.push_back(int32_t(range.last));
    }
  v.first = from_vector(first, {lists.samples, lists.heads, v.T});
  v.last = from_vector(last, {lists.samples, lists.heads, v.T});
  if (dilation > 1 || mask.labelled()) add_labels(v, mask, dilation);
  v.allow = mask.allow();
  return v;
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

Visible visible_pairs(const char* op, const Mask& mask, const Pattern& pattern, const Shape& shape) {
  mask.check(op, shape[0], shape[1], shape[2], shape[3]);
  const long T = shape[2], S = shape[3];
  const MaskReader reader(mask, shape);
  return seen_by(reader, shape, {reader.by_sample() ? shape[0] : 1, 1}, pattern.dilation,
                 [&](long, long, long i) { return pattern.range(i + S - T, S); });
}

Visible visible_ranges(const char* op, const Shape& shape, const Mask& mask, const KeysOfQuery& keys) {
  mask.check(op, shape[0], shape[1], shape[2], shape[3]);
  return seen_by(MaskReader(mask, shape), shape, {shape[0], 1}, 1, [&](long b, long, long i) { return keys(b, i); });
}

Visible visible_ranges_by_head(const char* op, const Shape& shape, const Mask& mask, const KeysOfHead& keys) {
  mask.check(op, shape[0], shape[1], shape[2], shape[3]);
  const MaskReader reader(mask, shape);
  return seen_by(reader, shape, {reader.by_sample() ? shape[0] : 1, shape[1]}, 1,
                 [&](long, long h, long i) { return keys(h, i); });
}

Visible of_queries(const Visible& all, const Tensor& index) {
  HEED_CHECK(!all.plan, "of_queries", "there is a plan, which is by tiles of all queries; there must be none");
  const long samples = std::max(all.first.size(0), index.size(0)), heads = all.first.size(1), P = index.size(1);
  const PlaceTokens queries(unsqueeze(index, 1)), ranges(all.first), ends(all.last);  // any i32 (1 or B, 1 or H, n)
  Visible some{all.B, all.H, P, all.S};
  std::vector<int32_t> first, last;
  for (long row = 0; row < samples * heads * P; row++) {
    const long b = row / P / heads, h = row / P % heads, i = queries.at(b, h, row % P);
    first.push_back(i < 0 ? 1 : int32_t(ranges.at(b, h, i))), last.push_back(i < 0 ? 0 : int32_t(ends.at(b, h, i)));
  }
  some.first = from_vector(first, {samples, heads, P}), some.last = from_vector(last, {samples, heads, P});
  some.key_labels = all.key_labels;
  const auto rows = [&](const Tensor& x) {  // x (B, .., T, C), of each sample
    return rows_at(x, x.dims() == 4 ? unsqueeze(index, 1) : index);
  };
  if (all.query_labels.defined())
    some.query_labels = squeeze(rows(unsqueeze(expand(all.query_labels, {all.B, all.T}), 2)), 2);
  if (all.allow.defined()) some.allow = rows(expand(all.allow, {all.B, all.H, all.T, all.S}));
  return some;
}

}  // namespace heed
