// ceil_div: how many pieces of b cover a.
#pragma once

namespace heed {

// a / b rounded up, for a >= 0 and b > 0; ceil_div(a, b) * b is the next multiple of b.
constexpr long ceil_div(long a, long b) { return (a + b - 1) / b; }

}  // namespace heed
