// Additive attention: <u, tanh(q + k)> with a vector u per head; every pair is visible.
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "tests/oracle/oracle.h"

using namespace heed;

namespace {

// u (H, D) -> (B, H, T, S)
Variable score(const OracleCase& c, const OracleHeads& heads) {
  const Variable pairs = tanh(unsqueeze(heads.q, 3) + unsqueeze(heads.k, 2));  // (B, H, T, S, D)
  return sum(pairs * reshape(c.parameter("core.u"), {1, c.sizes.heads, 1, 1, c.sizes.head_width}), {-1});
}

const RegisteredOracle additive{{.name = "additive", .sees = every_pair, .score = score}};

}  // namespace
