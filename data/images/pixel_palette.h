// PixelPalette: the few colours that the pixels of a model have, so that a pixel is one token (iGPT: Chen et al.,
// 2020). Found by k-means++ (Arthur and Vassilvitskii, 2007) on pixels of the training pictures: seeds that are far
// apart, then means of the nearest, again and again.
//
//   const PixelPalette palette = PixelPalette::fit(data.train, 16);
//   const std::vector<uint16_t> ids = palette.ids(data.train.picture(0));   // one for each pixel
//   palette.pixels(ids);                                                    // the nearest colours
//
// A colour of the palette is its own nearest: ids(pixels(ids)) == ids. All of it is in whole numbers, so that the same
// pictures have the same palette on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/images/image_data.h"

namespace heed {

inline constexpr long kMaxColours = 512;

class PixelPalette {
 public:
  using Colour = std::array<uint8_t, 3>;  // red, green, blue; of grey pictures three times the level

  // Different colours, 1 to 512 of them, dark ones first; throws otherwise. channels: of the pictures, 1 or 3.
  PixelPalette(const std::vector<Colour>& colours, long channels);
  // At most so many: if the pictures have fewer, those that they have.
  static PixelPalette fit(const Images& images, long colours, uint32_t seed = 1);

  long size() const { return long(colours_.size()); }
  long channels() const { return channels_; }
  const Colour& colour(long id) const { return colours_[size_t(id)]; }
  const std::vector<Colour>& colours() const { return colours_; }

  long nearest(const Colour& colour) const;                          // by the squared distance; of equals the first
  std::vector<uint16_t> ids(std::span<const uint8_t> pixels) const;  // (n, channels) -> (n,)
  std::vector<uint8_t> pixels(std::span<const uint16_t> ids) const;  // (n,) -> (n, channels); throws if one is none
  std::string saved() const;                                         // for a checkpoint
  static PixelPalette from_saved(const std::string& saved, const std::string& from);  // `from`: the file, for errors

 private:
  std::vector<Colour> colours_;
  long channels_;
};

}  // namespace heed
