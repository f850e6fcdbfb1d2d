// Plots on a Picture.
#pragma once

#include <string>
#include <vector>

#include "show/picture.h"

namespace heed {

struct CurvePlot {
  std::string title;
  std::string x_label;            // what the values are counted in, such as "step"
  std::vector<double> values;     // the first one belongs to x = 1
  Colour ink = rgb(0x2b3440);     // text and axes
  Colour colour = rgb(0x2b3440);  // the curve
  double text_size = 9;
};

// A curve with a logarithmic y axis, for losses: values that are not positive or not finite leave gaps. Title
// and labels are inside of the box, too.
void plot_logarithmic(Picture& picture, const Box& box, const CurvePlot& plot);

}  // namespace heed
