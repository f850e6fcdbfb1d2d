// Additive attention: <u, tanh(q + k)> with a vector u per head; every pair is visible.
#include <cmath>

#include "tests/oracle/oracle.h"

using namespace heed;

namespace {

double score(const VariantOptions&, const OracleScore& s) {
  double total = 0;
  for (size_t c = 0; c < s.q.size(); c++)
    total += s.learned[size_t(s.pair.h) * s.q.size() + c] * std::tanh(s.q[c] + s.k[c]);
  return total;
}

const RegisteredOracle additive{{.name = "additive",
                                 .specs = {},
                                 .sees = [](const VariantOptions&, const OraclePair&) { return true; },
                                 .score = score}};

}  // namespace
