#include "attention/heads.h"

#include "autograd/ops/views.h"

namespace heed {

Variable for_all_heads(const Variable& x, long H) {
  const Shape s = x.shape();
  if (s[1] == H) return x;
  return reshape(expand(unsqueeze(x, 2), {s[0], s[1], H / s[1], s[2], s[3]}), {s[0], H, s[2], s[3]});
}

Variable joined_heads(const Variable& o) {
  return reshape(transpose(o, 1, 2), {o.size(0), o.size(2), o.size(1) * o.size(3)});
}

}  // namespace heed
