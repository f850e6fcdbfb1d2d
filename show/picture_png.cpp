// Picture::write_png: the only file that includes stb_image_write.
#include <zlib.h>

#include <cstdlib>

#include "show/picture.h"
#include "system/error.h"
#include "system/write_file.h"

namespace heed {
namespace {

// stb's own compressor makes files that are larger by half. The result is stb's to free.
unsigned char* compress_with_zlib(unsigned char* data, int size, int* compressed_size, int /*quality*/) {
  uLongf room = compressBound(uLong(size));
  auto* compressed = static_cast<unsigned char*>(std::malloc(room));
  if (compressed && compress2(compressed, &room, data, uLong(size), Z_DEFAULT_COMPRESSION) == Z_OK) {
    *compressed_size = int(room);
    return compressed;
  }
  std::free(compressed);
  return nullptr;
}

}  // namespace
}  // namespace heed

#define STBIW_ZLIB_COMPRESS heed::compress_with_zlib
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

namespace heed {

void Picture::write_png(const std::string& path) const {
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), size_t(size));
  };
  static_assert(sizeof(Colour) == 3);
  const int made =
      stbi_write_png_to_func(append, &bytes, int(width_), int(height_), 3, pixels_.data(), int(width_ * 3));
  HEED_CHECK(made, "write_png", "no memory to compress ", width_, " x ", height_, " pixels for ", path);
  write_file(path, bytes);
}

}  // namespace heed
