// Readers of pictures are given files that are broken in random ways: they read them or throw an Error, and nothing
// else happens. A second of it by default; for longer, under the sanitizers:
//
//   HEED_FUZZ=600 make sanitize T='fuzz_image_readers*'
#include <zlib.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "data/images/cifar.h"
#include "data/images/idx.h"
#include "data/images/picture_file.h"
#include "data/images/pixel_palette.h"
#include "show/picture.h"
#include "system/error.h"
#include "system/write_file.h"
#include "tests/data/images/picture_bytes.h"
#include "tests/fuzz/mutator.h"
#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(fuzz_image_readers_test)

namespace {

std::string gzipped(const Folder& folder, const std::string& bytes) {
  const std::string path = folder / "packed";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), unsigned(bytes.size()));
  gzclose(file);
  return read_file(path);
}

std::string png(const Folder& folder) {
  Picture picture(17, 9);
  for (long i = 0; i < 9; i++) picture.pixel(i, i, rgb(uint32_t(i) * 1234567));
  picture.write_png(folder / "a.png");
  return read_file(folder / "a.png");
}

// The same bytes, read as another kind of JPEG.
std::string progressive(std::string bytes) {
  bytes[bytes.find("\xff\xc0") + 1] = '\xc2';
  return bytes;
}

struct Reader {
  std::string good;
  std::function<void(const std::string& bytes, const std::string& path)> read;  // the bytes are also in the file
};

std::vector<Reader> readers(const Folder& folder) {
  const auto ignore = [](const Image&, long) {};
  const auto idx = [=](const std::string&, const std::string& path) { read_idx_images(path, {}, ignore); };
  const auto picture = [](const std::string& bytes, const std::string& path) {
    square_of(parse_picture(bytes, path), 14);
  };
  return {{png(folder), picture},
          {jpeg(), picture},
          {progressive(jpeg()), picture},
          {contradicting_jpeg(), picture},
          {idx_pictures(3, 5, 4), idx},
          {gzipped(folder, idx_pictures(30, 5, 4)), idx},
          {idx_labels({1, 2, 3}), [](const std::string&, const std::string& path) { read_idx_labels(path); }},
          {cifar_records(2), [=](const std::string&, const std::string& path) { read_cifar(path, ignore); }},
          {R"({"channels":3,"colours":["0a1b2c","ffffff"]})",
           [](const std::string& bytes, const std::string& path) { PixelPalette::from_saved(bytes, path); }}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(broken_files_are_read_or_refused) {
  const Folder folder;
  const std::string path = folder / "broken";
  const char* asked = std::getenv("HEED_FUZZ");
  const double seconds = asked ? std::atof(asked) : 1;
  const auto all = readers(folder);
  const auto begin = std::chrono::steady_clock::now();
  long tried = 0, refused = 0;
  for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds; tried++) {
    const Reader& reader = all[size_t(tried) % all.size()];
    const std::string bytes = Mutator(uint32_t(tried)).mutated(reader.good);
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      reader.read(bytes, path);
    } catch (const Error& error) {
      refused++;
      BOOST_REQUIRE(std::string(error.what()).size() > 20);
    }
  }
  BOOST_TEST(refused > 0);
  BOOST_TEST(refused < tried);
  BOOST_TEST_MESSAGE(tried << " files, " << refused << " refused");
}

BOOST_AUTO_TEST_SUITE_END()
