// PNG and JPEG files as Images, and the files of a folder that are such.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/images/image.h"

namespace heed {

inline constexpr long kMaxPictureSide = 16384, kMaxPicturePixels = 100'000'000;

// `path` is for the errors: a file that is cut off, damaged, too large or no such picture. Where it is transparent,
// white shines through. The same pixels on every machine.
Image parse_picture(std::string_view file, const std::string& path);

struct PictureFile {
  std::string path, folder;  // folder: the first one below the root that it lies in; "": the root itself
};
// NAME.png, .jpg and .jpeg in a folder and all folders below it, sorted by path. Hidden ones and links are left out.
std::vector<PictureFile> picture_files(const std::string& folder);

}  // namespace heed
