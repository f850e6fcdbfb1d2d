// The only file that includes stb_image.
#include "data/images/picture_file.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <memory>

#include "data/images/jpeg_tables.h"
#include "data/images/stb_memory.h"
#include "system/error.h"

namespace heed {
namespace {

struct Contradiction {};  // an assertion of stb_image does not hold

[[noreturn]] void fail_inside() { throw Contradiction(); }

}  // namespace
}  // namespace heed

// What a hostile file could do to stb_image 2.27, besides what jpeg_tables.h refuses:
#define STBI_ASSERT(holds) ((holds) ? void() : heed::fail_inside())  // end the program
#define STBI_MALLOC(size) heed::StbMemory::allocate(size)            // take all memory, or lose it
#define STBI_REALLOC(p, size) heed::StbMemory::reallocate(p, size)
#define STBI_FREE(p) heed::StbMemory::release(p)
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
constexpr size_t kHeaderMemory = 1 << 20, kMostMemory = 1 << 30;  // bytes of one block
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

struct Size {
  int columns = 0, rows = 0;
};

// As the header says.
Size size_in(std::string_view file, const std::string& path) {
  const StbMemory memory(kHeaderMemory);
  Size size;
  int channels = 0;
  HEED_CHECK(stbi_info_from_memory(reinterpret_cast<const stbi_uc*>(file.data()), int(file.size()), &size.columns,
                                   &size.rows, &channels),
             kOp, path, " is no PNG or JPEG picture (", stbi_failure_reason(), ")");
  HEED_CHECK(size.columns > 0 && size.rows > 0 && long(size.columns) * size.rows <= kMaxPicturePixels, kOp, path,
             " says that it has ", size.columns, " x ", size.rows, " pixels; at most ", kMaxPicturePixels,
             " can be read");
  return size;
}

// The largest block that a picture of this size needs: its file, in a buffer that doubles, or its pixels with 4 x 16
// bits each, unpacked into one that doubles; a JPEG has up to 31 more along each side.
size_t most_memory(std::string_view file, const Size& size) {
  const size_t pixels = (size_t(size.columns) + 32) * (size_t(size.rows) + 32);
  return std::min(kHeaderMemory + 2 * file.size() + 16 * pixels, kMostMemory);
}

Image decoded(std::string_view file, const Size& size, const std::string& path) {
  const StbMemory memory(most_memory(file, size));
  int columns = 0, rows = 0, channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> rgba(
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.data()), int(file.size()), &columns, &rows, &channels,
                            4),
      stbi_image_free);
  HEED_CHECK(rgba, kOp, path, " is damaged or cut off (", stbi_failure_reason(), ")");
  return {
      .rows = rows, .columns = columns, .channels = 3, .pixels = on_white(rgba.get(), size_t(rows) * size_t(columns))};
}

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

}  // namespace

Image parse_picture(std::string_view file, const std::string& path) {
  HEED_CHECK(!file.empty() && file.size() <= size_t(INT32_MAX), kOp, path, " has ", file.size(),
             " bytes; a PNG or JPEG file has some, and less than 2 GB");
  const std::optional<size_t> guarded = guarded_jpeg_bytes(file);
  HEED_CHECK(guarded, kOp, path, " is damaged: one of its JPEG tables has more than 256 codes");
  const std::string_view seen = file.substr(0, *guarded);  // stb_image gets no byte that the guard has not looked at
  try {
    const Size size = size_in(seen, path);
    return decoded(seen, size, path);
  } catch (const Contradiction&) {
    fail(kOp, path, " is damaged: its data contradicts itself");
  }
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
