// Cost: how the time or the memory of a mixer grows with the number of tokens n. It prints itself, "O(n w)", and the
// property suite measures it: twice the tokens must not cost more than `times(2, n)` says.
#pragma once

#include <string>

namespace heed {

enum class Growth { constant, linear, log_linear, root, square };  // 1, n, n log n, n sqrt(n), n^2

struct Cost {
  Growth growth = Growth::square;
  std::string factor = {};  // besides n: "w", "(b + m)", "/ m"

  std::string text() const;                     // "O(n w)"
  double times(double longer, double n) const;  // cost of longer * n tokens over that of n tokens
};

}  // namespace heed
