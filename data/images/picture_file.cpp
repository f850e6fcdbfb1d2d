// The only file that includes stb_image.
#include "data/images/picture_file.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "data/images/jpeg_tables.h"
#include "system/error.h"

namespace heed {
namespace {

[[noreturn]] void fail_inside() { fail("picture", "its data contradicts itself"); }

}  // namespace
}  // namespace heed

// What a hostile file could do to stb_image 2.27, besides what jpeg_tables.h refuses:
#define STBI_ASSERT(holds) ((holds) ? void() : heed::fail_inside())  // end the program
#define STBI_MALLOC(size) std::calloc(1, size)  // have tables read that it never defined: here they are zeros
#define STBI_REALLOC(p, size) std::realloc(p, size)
#define STBI_FREE(p) std::free(p)
#define memcpy(to, from, n) ((n) ? std::memcpy(to, from, n) : (to))  // copy nothing to nowhere, which memcpy forbids
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_SIMD  // another CPU must not decode other pixels
#define STBI_MAX_DIMENSIONS 16384
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop
#undef memcpy

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOp = "picture";
static_assert(STBI_MAX_DIMENSIONS == kMaxPictureSide);

// (n, 4) with opacity -> (n, 3) on white
std::vector<uint8_t> on_white(const uint8_t* rgba, size_t n) {
  std::vector<uint8_t> rgb;
  rgb.reserve(3 * n);
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < 3; c++) {
      const int alpha = rgba[4 * i + 3];
      rgb.push_back(uint8_t((rgba[4 * i + c] * alpha + 255 * (255 - alpha) + 127) / 255));
    }
  return rgb;
}

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

}  // namespace

Image parse_picture(std::string_view file, const std::string& path) {
  const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
  HEED_CHECK(!file.empty() && file.size() <= size_t(INT32_MAX), kOp, path, " has ", file.size(),
             " bytes; a PNG or JPEG file has some, and less than 2 GB");
  HEED_CHECK(!has_oversized_huffman_table(file), kOp, path,
             " is damaged: one of its JPEG tables has more than 256 codes");
  const int size = int(file.size());
  int columns = 0, rows = 0, channels = 0;
  HEED_CHECK(stbi_info_from_memory(bytes, size, &columns, &rows, &channels), kOp, path, " is no PNG or JPEG picture (",
             stbi_failure_reason(), ")");
  HEED_CHECK(columns > 0 && rows > 0 && long(columns) * rows <= kMaxPicturePixels, kOp, path, " says that it has ",
             columns, " x ", rows, " pixels; at most ", kMaxPicturePixels, " can be read");
  const std::unique_ptr<stbi_uc, void (*)(void*)> rgba(
      stbi_load_from_memory(bytes, size, &columns, &rows, &channels, 4), stbi_image_free);
  HEED_CHECK(rgba, kOp, path, " is damaged or cut off (", stbi_failure_reason(), ")");
  return {
      .rows = rows, .columns = columns, .channels = 3, .pixels = on_white(rgba.get(), size_t(rows) * size_t(columns))};
}

std::vector<PictureFile> picture_files(const std::string& folder) {
  std::vector<PictureFile> files;
  std::error_code reason;
  fs::recursive_directory_iterator it(folder, reason);
  while (!reason && it != fs::recursive_directory_iterator()) {
    const bool hidden = it->path().filename().string().starts_with('.');
    if (hidden) it.disable_recursion_pending();
    if (!hidden && is_picture(it->path()) && it->symlink_status(reason).type() == fs::file_type::regular) {
      const fs::path inner = it->path().lexically_relative(folder);
      files.push_back({it->path().string(), inner.has_parent_path() ? inner.begin()->string() : ""});
    }
    if (!reason) it.increment(reason);
  }
  HEED_CHECK(!reason, kOp, "cannot read the folder ", folder, ": ", reason.message());
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace heed
