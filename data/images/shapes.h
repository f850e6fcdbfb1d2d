// Generated pictures, for machines without any: a disc, a square, a triangle, a cross or a ring, in one colour on
// another, anywhere in the picture. What it is, is the label. The same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/images/idx.h"

namespace heed {

struct ShapesOptions {
  long pictures = 10000;
  uint32_t seed = 1;
};

// "shapes", "shapes:pictures=500,seed=2"; what is not said has its default.
ShapesOptions shapes_options(const std::string& spec);
const std::vector<std::string>& shape_labels();
void make_shapes(const ShapesOptions& options, TakeImage take);  // colour, 64 x 64

}  // namespace heed
