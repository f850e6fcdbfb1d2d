// Visible by places: the order that an index gives to tokens, its checks, and all pairs as a dense matrix.
#include <algorithm>

#include "attention/seeing/plan.h"
#include "attention/seeing/visible.h"
#include "tensor/copy.h"
#include "tensor/ops/compare.h"
#include "tensor/views.h"

namespace heed {
namespace {

// The token at a place; one list for all, or one per head or sample.
long index_at(const Tensor& index, long b, long h, long place) {
  const long heads = index.size(1), list = (index.size(0) > 1 ? b : 0) * heads + (heads > 1 ? h : 0);
  return index.data<int32_t>()[list * index.size(2) + place];
}

void check_index(const char* op, const char* name, const Tensor& index, const Shape& want, long tokens) {
  if (!index.defined()) return;
  const Shape& s = index.shape();
  const bool fits =
      s.dims() == 3 && (s[0] == 1 || s[0] == want[0]) && (s[1] == 1 || s[1] == want[1]) && s[2] == want[2];
  HEED_CHECK(index.dtype() == i32 && index.is_contiguous() && fits, op, "the ", name, " is ", s, " ", index.dtype(),
             "; it must be contiguous i32 of shape (1 or B, 1 or H, places) with (B, H, places) = ", want);
  const int32_t* at = index.data<int32_t>();
  const int32_t* bad = std::find_if(at, at + index.numel(), [&](int32_t t) { return t < -1 || t >= tokens; });
  HEED_CHECK(bad == at + index.numel(), op, "the ", name, " names token ", *bad, " of ", tokens, "; the rule is 0 to ",
             tokens - 1, ", or -1 for an empty place");
}

// Rows begin .. end of what all but the plan allow, by tokens; expanded where heads or samples are alike.
Tensor seen_tokens(const Visible& v, long begin, long end) {
  const bool labelled = v.key_labels.defined();
  const long samples = v.first.size(0) > 1 || (labelled && v.key_labels.size(0) > 1) ? v.B : 1, rows = end - begin;
  const long heads = v.first.size(1);
  const auto at = [&](const Tensor& x, long b) { return x.data<int32_t>() + (x.size(0) > 1 ? b * x.size(1) : 0); };
  Tensor seen = Tensor::empty({samples, heads, rows, v.S}, boolean);
  bool* out = seen.mutable_data<bool>();
  for (long list = 0; list < samples * heads; list++)
    for (long i = begin; i < end; i++, out += v.S) {
      const long b = list / heads, h = list % heads;
      const long low = index_at(v.first, b, h, i), high = index_at(v.last, b, h, i);
      for (long j = 0; j < v.S; j++) out[j] = j >= low && j <= high;
      for (long j = 0; labelled && j < v.S; j++) out[j] = out[j] && at(v.key_labels, b)[j] == at(v.query_labels, b)[i];
    }
  if (v.allow.defined()) seen = logical_and(seen, slice(expand(v.allow, {v.B, v.H, v.T, v.S}), 2, begin, end));
  return expand(seen, {v.B, v.H, rows, v.S});
}

}  // namespace

long Visible::query_places() const { return query_index.defined() ? query_index.size(-1) : T; }
long Visible::key_places() const { return key_index.defined() ? key_index.size(-1) : S; }
long Visible::query_token(long b, long h, long place) const {
  return query_index.defined() ? index_at(query_index, b, h, place) : place;
}
long Visible::key_token(long b, long h, long place) const {
  return key_index.defined() ? index_at(key_index, b, h, place) : place;
}

std::vector<Tensor> Visible::tensors() const {
  std::vector<Tensor> all = {first, last, query_labels, key_labels, allow, query_index, key_index};
  std::erase_if(all, [](const Tensor& x) { return !x.defined(); });
  return all;
}

void Visible::check(const char* op) const {
  HEED_CHECK(plan || !indexed(), op,
             "there is an index but no plan; an index gives tokens the places of a plan's tiles. Set `plan` too");
  if (!plan) return;
  const auto& [rows, columns, samples, heads] = plan->shape;
  HEED_CHECK((query_index.defined() || rows == T) && (key_index.defined() || columns == S), op, "the plan is for ",
             rows, " queries and ", columns, " keys and the batch is (B, H, T, S) = ", Shape{B, H, T, S},
             "; without an index they must be equal");
  check_index(op, "query_index", query_index, {B, H, rows}, T);
  check_index(op, "key_index", key_index, {B, H, columns}, S);
  plan->check(op, {B, H, rows, columns});
}

Tensor Visible::dense() const {
  check("attention");
  return contiguous(dense(0, query_places()));
}

Tensor Visible::dense(long begin, long end) const {
  check("attention");
  if (!plan) return seen_tokens(*this, begin, end);
  const bool whole = query_index.defined();  // its rows may be any
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
