// Printing Variables: their values, and whether a gradient flows into them.
//
//   std::cout << w << "\n";    // Variable([0.5, -0.25], (2,), f32, a leaf)
#pragma once

#include <ostream>

#include "autograd/variable.h"

namespace heed {

std::ostream& operator<<(std::ostream& out, const Variable& x);

}  // namespace heed
