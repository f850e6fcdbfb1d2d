#include "attention/heads.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "autograd/ops/concatenate.h"
#include "autograd/ops/views.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_groups(const std::vector<long>& sizes, long H, long Hk) {
  const long total = std::accumulate(sizes.begin(), sizes.end(), 0L), serves = H / Hk;
  std::string list;
  for (long n : sizes) list += (list.empty() ? "" : " + ") + std::to_string(n);
  HEED_CHECK(total == H && std::all_of(sizes.begin(), sizes.end(), [](long n) { return n >= 1; }), "by_head_groups",
             "the groups have ", list, " = ", total, " heads and there are ", H,
             "; each must have at least 1, and together they must have all");
  HEED_CHECK(std::all_of(sizes.begin(), sizes.end(), [&](long n) { return n % serves == 0; }), "by_head_groups",
             "the groups have ", list, " heads, and each of the ", Hk, " heads of keys serves ", serves,
             " heads of queries; the size of a group must be a multiple of that");
}

}  // namespace

Shape pairs_of(const Heads& heads) { return {heads.q.size(0), heads.q.size(1), heads.q.size(2), heads.k.size(2)}; }

Variable for_all_heads(const Variable& x, long H) {
  const Shape s = x.shape();
  if (s[1] == H) return x;
  return reshape(expand(unsqueeze(x, 2), {s[0], s[1], H / s[1], s[2], s[3]}), {s[0], H, s[2], s[3]});
}

Variable joined_heads(const Variable& o) {
  return reshape(transpose(o, 1, 2), {o.size(0), o.size(2), o.size(1) * o.size(3)});
}

Variable by_head_groups(const Heads& heads, const std::vector<long>& sizes, const AttendGroup& attend) {
  const long H = heads.q.size(1), Hk = heads.k.size(1), serves = H / Hk;
  check_groups(sizes, H, Hk);
  if (sizes.size() == 1) return attend(heads, 0);
  std::vector<Variable> parts;
  for (long group = 0, first = 0; group < long(sizes.size()); first += sizes[size_t(group++)]) {
    const long end = first + sizes[size_t(group)];
    const Variable q = slice(heads.q, 1, first, end), k = slice(heads.k, 1, first / serves, end / serves),
                   v = slice(heads.v, 1, first / serves, end / serves);
    parts.push_back(transpose(attend(heads.with(q, k, v), first), 1, 2));  // (B, T, group, Dv)
  }
  return transpose(concatenate(parts, 2), 1, 2);  // in memory (B, T, H, Dv), as engines give it
}

Mask mask_of_heads(const Mask& mask, long begin, long end) {
  Mask part = mask;
  if (mask.allow.defined() && mask.allow.dims() >= 3 && mask.allow.size(-3) > 1)
    part.allow = slice(mask.allow, -3, begin, end);
  return part;
}

}  // namespace heed
