// k-means++ in whole numbers: the colours of a PixelPalette. Distances, sums and draws are integers, so that neither a
// compiler nor the order of threads changes a bit.
//
//   seeds    the first colour is drawn by its weight, each further one by weight * squared distance to the nearest seed
//   rounds   every colour goes to its nearest mean, every mean becomes that of its colours, rounded; a mean without any
//            moves to the colour that is farthest from its own. Until the squared error falls by less than 1e-4 of
//            itself, at most 100 times
#pragma once

#include <vector>

#include "data/images/pixel_palette.h"

namespace heed {

struct WeightedColour {
  PixelPalette::Colour colour = {};
  long weight = 0;  // pixels that have it
};

// The colours of 2^20 pixels, drawn evenly, or of all if there are no more than that. At most 32768: if there are more,
// neighbours (cubes of 2 x 2 x 2 levels; of 4 or 8 along each side if that is not enough) are taken together as their
// mean.
std::vector<WeightedColour> sampled_colours(const Images& images, uint32_t seed);

// At most k different ones; if there are no more than k, the colours themselves.
std::vector<PixelPalette::Colour> colour_means(const std::vector<WeightedColour>& colours, long k, uint32_t seed);

}  // namespace heed
