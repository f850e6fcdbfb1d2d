// The font of Picture::text: each character is a few pen strokes, so that it is smooth at any size.
#pragma once

#include <string>

#include "show/picture.h"

namespace heed {

// The strokes of a line of text that starts at (0, 0), in units of the height of a capital letter; y points up, the
// base line is y = 0.
std::vector<Curve> text_curves(const std::string& text);
double text_advance(const std::string& text);  // its width in the same unit

}  // namespace heed
