// All pictures behind a path at the size that is to be learned, before they are parted: what ImageData::open begins
// with. Pictures are made small one by one, so that their originals are never in memory together.
#pragma once

#include "data/images/image_data.h"

namespace heed {

struct CollectedImages {
  Images images;
  long own_test = 0;  // of the last ones: the data's own test part
  std::vector<std::string> labels;
  std::vector<std::string> notes;
};

CollectedImages collect_images(const std::string& data, const ImageOptions& options);

}  // namespace heed
