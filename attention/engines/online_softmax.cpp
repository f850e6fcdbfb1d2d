#include "attention/engines/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace heed {

PlainAttention online_softmax_attention(const PlainRows& q, const PlainRows& k, const PlainRows& v,
                                        const std::function<bool(size_t i, size_t j)>& sees) {
  const size_t T = q.size(), S = k.size(), Dv = S == 0 ? 0 : v[0].size();
  PlainAttention result;
  for (size_t i = 0; i < T; i++) {
    double m = -std::numeric_limits<double>::infinity(), l = 0;
    std::vector<double> a(Dv, 0.0);
    for (size_t j = 0; j < S; j++) {
      if (!sees(i, j)) continue;
      const double s = std::inner_product(q[i].begin(), q[i].end(), k[j].begin(), 0.0) / std::sqrt(q[i].size());
      const double m_new = std::max(m, s);
      const double correction = std::exp(m - m_new);  // 1 if the maximum stays; 0 for the first key: exp(-infinity)
      const double p = std::exp(s - m_new);           // at most 1: it cannot overflow
      l = l * correction + p;
      for (size_t c = 0; c < Dv; c++) a[c] = a[c] * correction + p * v[j][c];
      m = m_new;
      // Now m = max s, l = sum exp(s - m) and a = sum exp(s - m) v over the keys 0 .. j that it sees.
    }
    for (double& x : a) x = l > 0 ? x / l : 0;  // l >= 1 if it saw a key: the largest one adds exp(0)
    result.o.push_back(a);
    result.L.push_back(m + std::log(l));  // -infinity if it saw none
  }
  return result;
}

}  // namespace heed
