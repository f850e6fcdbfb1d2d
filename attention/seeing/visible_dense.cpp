// Visible by places: the order that an index gives to tokens, its checks, and all pairs as a dense matrix.
#include <algorithm>

#include "attention/seeing/plan.h"
#include "attention/seeing/visible.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/indices.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_index(const char* op, const char* name, const Tensor& index, const Shape& want, long tokens) {
  if (!index.defined()) return;
  const Shape& s = index.shape();
  const bool fits =
      s.dims() == 3 && (s[0] == 1 || s[0] == want[0]) && (s[1] == 1 || s[1] == want[1]) && s[2] == want[2];
  HEED_CHECK(index.dtype() == i32 && index.is_contiguous() && fits, op, "the ", name, " is ", s, " ", index.dtype(),
             "; it must be contiguous i32 of shape (1 or B, 1 or H, places) with (B, H, places) = ", want);
  if (index.device() != cpu || index.storage()->known_within(-1, tokens)) return;
  const std::vector<int32_t> all = index.to_vector<int32_t>();
  const auto bad = std::find_if(all.begin(), all.end(), [&](int32_t t) { return t < -1 || t >= tokens; });
  HEED_CHECK(bad == all.end(), op, "the ", name, " names token ", *bad, " of ", tokens, "; the rule is 0 to ",
             tokens - 1, ", or -1 for an empty place");
}

// Rows begin .. end of what all but the plan allow, by tokens; expanded where heads or samples are alike.
Tensor seen_tokens(const Visible& v, long begin, long end) {
  const auto rows = [&](const Tensor& x) {
    const bool one = x.numel() == 1 && x.device() == cpu;  // a number: no copy
    const Tensor there = one ? full(x.shape(), x.item(), i32, v.device) : to(x, v.device);
    return unsqueeze(slice(there, -1, begin, end), -1);
  };
  const Tensor keys = arange(v.S, i32, v.device);
  Tensor seen = logical_and(less_equal(rows(v.first), keys), greater_equal(rows(v.last), keys));
  if (v.key_labels.defined())
    seen = logical_and(seen, equal(unsqueeze(rows(v.query_labels), 1), unsqueeze(unsqueeze(v.key_labels, 1), 1)));
  if (v.allow.defined()) seen = logical_and(seen, slice(expand(v.allow, {v.B, v.H, v.T, v.S}), 2, begin, end));
  return expand(seen, {v.B, v.H, end - begin, v.S});
}

// Back on the host it is for pictures; on the way there it is checked, once.
Tensor moved_index(const Tensor& index, long tokens, Device where) {
  return where == cpu ? to(index, cpu) : checked_rows("attention", index, tokens, where);
}

}  // namespace

long Visible::query_places() const { return query_index.defined() ? query_index.size(-1) : T; }
long Visible::key_places() const { return key_index.defined() ? key_index.size(-1) : S; }

PlaceTokens::PlaceTokens(const Tensor& index) {
  if (!index.defined()) return;
  tokens = index.to_vector<int32_t>();
  samples = index.size(0), heads = index.size(1), count = index.size(2);
}

long PlaceTokens::at(long b, long h, long place) const {
  const long list = (samples > 1 ? b : 0) * heads + (heads > 1 ? h : 0);
  return count < 0 ? place : tokens[size_t(list * count + place)];
}

Visible Visible::on(Device where) const {
  if (where == cpu && device == cpu) return *this;
  Visible v = *this;
  for (Tensor* x : {&v.query_labels, &v.key_labels, &v.allow})
    if (x->defined()) *x = to(*x, where);
  if (query_index.defined()) v.query_index = moved_index(query_index, T, where);
  if (key_index.defined()) v.key_index = moved_index(key_index, S, where);
  if (!by_value() || where == cpu) v.first = to(first, where), v.last = to(last, where);
  v.device = where;
  return v;
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
  // By numbers on the host: a plan is there, too
  const std::vector<bool> tokens = seen_tokens(*this, first_row, whole ? T : end).to_vector<bool>();
  const PlaceTokens queries(query_index), keys_at(key_index);
  const long row_count = (whole ? T : end) - first_row;
  std::vector<bool> seen;
  for (long b = 0; b < B; b++)
    for (long h = 0; h < H; h++)
      for (long i = begin; i < end; i++)
        for (long j = 0; j < keys; j++) {
          const long query = queries.at(b, h, i), key = keys_at.at(b, h, j);
          seen.push_back(query >= 0 && key >= 0 && plan->sees(b, h, i, j) &&
                         tokens[size_t(((b * H + h) * row_count + query - first_row) * S + key)]);
        }
  return to(from_vector(seen, {B, H, rows, keys}), device);
}

}  // namespace heed
