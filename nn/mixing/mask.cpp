#include "nn/mixing/mask.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "nn/mixing/mask_once.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"

namespace heed {
namespace {

// The tighter of two one-sided windows; -1 is the widest.
long tighter(long a, long b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

// Combines two parts element by element, where both are there.
template <class E, class F> Tensor combined(const Tensor& a, const Tensor& b, F&& f) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  Shape shape = broadcast("mask", a.shape(), b.shape());
  auto left = expand(a, shape).to_vector<E>(), right = expand(b, shape).to_vector<E>();
  std::vector<E> both(left.size());
  for (size_t i = 0; i < both.size(); i++) both[i] = f(left[i], right[i]);
  return from_vector(both, shape);
}

Tensor both_segments(const Tensor& a, const Tensor& b) {
  std::map<std::pair<int64_t, int64_t>, int64_t> ids;  // a new id for every pair of old ones
  return combined<int64_t>(a, b, [&](int64_t x, int64_t y) {
    return ids.try_emplace({x, y}, ids.size()).first->second;
  });
}

// Where both ranges meet: from the later first key to the earlier last one.
Tensor both_ranges(const Tensor& a, const Tensor& b) {
  bool is_last = true;  // first and last take turns
  return combined<int64_t>(a, b, [&](int64_t x, int64_t y) {
    is_last = !is_last;
    return is_last ? std::min(x, y) : std::max(x, y);
  });
}

Tensor as_i64(const char* op, const Tensor& x, int dims, const char* shape) {
  check_defined(op, x);
  HEED_CHECK(is_integer(x.dtype()) && x.dims() == dims, op, "got ", x.shape(), " ", x.dtype(),
             "; it must be integers of shape ", shape);
  return to(cast(x, i64), cpu);
}

// What causality and the window say of a query at position `at` and key j
bool in_reach(const Mask& mask, long at, long j) {
  return !(mask.causal && j > at) && !(mask.window_left >= 0 && j < at - mask.window_left) &&
         !(mask.window_right >= 0 && j > at + mask.window_right);
}

std::vector<int64_t> read(const Tensor& x) { return x.defined() ? x.to_vector<int64_t>() : std::vector<int64_t>(); }

}  // namespace

Mask causal_mask() { return {.causal = true}; }

Mask window_mask(long left, long right) {
  HEED_CHECK(left >= -1 && right >= -1, "window_mask", "the window is ", left, " to the left and ", right,
             " to the right; each is 0 or more, or -1 for no limit");
  return {.window_left = left, .window_right = right};
}

Mask length_mask(const Tensor& lengths) { return {.lengths = as_i64("length_mask", lengths, 1, "(B,)")}; }
Mask segment_mask(const Tensor& segments) { return {.segments = as_i64("segment_mask", segments, 2, "(B, S)")}; }

Mask range_mask(const Tensor& given) {
  const Tensor ranges = as_i64("range_mask", given, 3, "(1 or B, T, 2)");
  HEED_CHECK(ranges.size(2) == 2, "range_mask", "got ", ranges.shape(),
             "; it must be (1 or B, T, 2), the first and the last key that each query sees");
  return {.ranges = ranges};
}

Mask allow_mask(const Tensor& allow) {
  check_defined("allow_mask", allow);
  HEED_CHECK(allow.dtype() == boolean && allow.dims() <= 4, "allow_mask", "got ", allow.shape(), " ", allow.dtype(),
             "; it must be boolean and broadcast to (B, H, T, S). Cast first: cast(x, boolean)");
  return {.allow = to(allow, cpu)};
}

Mask operator&(const Mask& a, const Mask& b) {
  return {.causal = a.causal || b.causal,
          .window_left = tighter(a.window_left, b.window_left),
          .window_right = tighter(a.window_right, b.window_right),
          .lengths = combined<int64_t>(a.lengths, b.lengths, [](int64_t x, int64_t y) { return std::min(x, y); }),
          .segments = both_segments(a.segments, b.segments),
          .ranges = both_ranges(a.ranges, b.ranges),
          .allow = combined<bool>(a.allow, b.allow, [](bool x, bool y) { return x && y; })};
}

void Mask::check(const char* op, long B, long H, long T, long S) const {
  Shape full{B, H, T, S};
  HEED_CHECK(!lengths.defined() || lengths.shape() == Shape{B}, op, "the mask's lengths are ", lengths.shape(),
             " and the batch is (B, H, T, S) = ", full, "; lengths must be (B,)");
  HEED_CHECK(!segments.defined() || segments.shape() == (Shape{B, S}), op, "the mask's segments are ", segments.shape(),
             " and the batch is (B, H, T, S) = ", full, "; segments must be (B, S)");
  HEED_CHECK(!segments.defined() || T <= S, op, "the mask has segments and the batch is (B, H, T, S) = ", full,
             "; with segments every query is one of the S tokens, so T must be at most S");
  HEED_CHECK(!ranges.defined() || (ranges.dims() == 3 && (ranges.size(0) == 1 || ranges.size(0) == B) &&
                                   ranges.size(1) == T && ranges.size(2) == 2),
             op, "the mask's ranges are ", ranges.shape(), " and the batch is (B, H, T, S) = ", full,
             "; ranges must be (1 or B, T, 2), the first and the last key of each query");
  HEED_CHECK(!allow.defined() || broadcast(op, allow.shape(), full) == full, op, "the mask's allow is ", allow.shape(),
             ", which does not broadcast to (B, H, T, S) = ", full);
}

bool Mask::of_batch() const { return lengths.defined() || segments.defined() || ranges.defined() || allow.defined(); }

std::string identity_of(const Tensor& x) {
  if (!x.defined()) return "";
  std::ostringstream text;
  text << x.storage().get() << "." << x.storage()->version() << "." << x.offset() << x.shape() << x.strides();
  return text.str();
}

std::string Mask::identity() const {
  std::ostringstream text;
  text << causal << " " << window_left << " " << window_right;
  for (const Tensor* x : {&lengths, &segments, &ranges, &allow}) text << " " << identity_of(*x);
  return text.str();
}

bool Mask::sees(const Pair& p, long T, long S) const {
  const long at = p.i + S - T;  // the query's position
  if (!in_reach(*this, at, p.j)) return false;
  if (lengths.defined() && p.j >= long(lengths.at({p.b}))) return false;
  if (segments.defined() && segments.at({p.b, p.j}) != segments.at({p.b, at})) return false;
  if (ranges.defined()) {
    const long b = ranges.size(0) > 1 ? p.b : 0;
    if (double(p.j) < ranges.at({b, p.i, 0}) || double(p.j) > ranges.at({b, p.i, 1})) return false;
  }
  if (!allow.defined()) return true;
  Shape index, full{p.b, p.h, p.i, p.j};
  for (int k = 0; k < allow.dims(); k++) index.push_back(allow.shape()[k] == 1 ? 0 : full[k + 4 - allow.dims()]);
  return allow.at(index) != 0;
}

Tensor Mask::dense(long B, long H, long T, long S) const {
  check("mask", B, H, T, S);
  const std::vector<int64_t> length = read(lengths), segment = read(segments), range = read(ranges);  // at() is slow
  const auto same_segment = [&](long b, long at, long j) {
    return segment.empty() || segment[size_t(b * S + at)] == segment[size_t(b * S + j)];
  };
  const auto in_range = [&](long b, long i, long j) {
    const size_t at = size_t(((ranges.defined() && ranges.size(0) > 1 ? b : 0) * T + i) * 2);
    return range.empty() || (j >= range[at] && j <= range[at + 1]);
  };
  std::vector<bool> seen = expand(allow.defined() ? allow : full({}, 1, boolean), {B, H, T, S}).to_vector<bool>();
  size_t at_pair = 0;
  for (long b = 0; b < B; b++)
    for (long row = 0; row < H * T; row++) {
      const long at = row % T + S - T, end = length.empty() ? S : long(length[size_t(b)]);
      for (long j = 0; j < S; j++, at_pair++)
        seen[at_pair] =
            seen[at_pair] && in_reach(*this, at, j) && j < end && same_segment(b, at, j) && in_range(b, row % T, j);
    }
  return from_vector(seen, {B, H, T, S});
}

}  // namespace heed
