#include "data/images/idx.h"

#include <filesystem>

#include "data/images/byte_source.h"
#include "system/error.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr const char* kOp = "idx";

// Reads the header and what is behind it, and knows where it is.
class IdxFile {
 public:
  IdxFile(const std::string& path, int dims) : path_(path), source_(kOp, path) {
    uint8_t magic[4] = {};
    const size_t got = source_.read(magic, 4);
    HEED_CHECK(got == 4 && magic[0] == 0 && magic[1] == 0 && magic[2] == 8 && magic[3] == dims, kOp, path,
               " is no idx file of ", dims == 3 ? "pictures" : "labels", ": it begins with ",
               format("%02x %02x %02x %02x", magic[0], magic[1], magic[2], magic[3]), ", and 00 00 08 ",
               format("%02x", dims), " was expected (unsigned bytes, ", dims,
               dims == 1 ? " dimension)" : " dimensions)");
    for (int i = 0; i < dims; i++) sizes_.push_back(number());
    HEED_CHECK(sizes_[0] > 0, kOp, path, " is empty: its header says 0 ", dims == 3 ? "pictures" : "labels");
  }
  long size(int axis) const { return sizes_[size_t(axis)]; }

  void read(std::vector<uint8_t>& to, long done, const char* what) {
    const size_t got = source_.read(to.data(), to.size());
    HEED_CHECK(got == to.size(), kOp, path_, " is cut off: its header says ", size(0), " ", what,
               ", and it ends after ", done);
  }
  void check_end(const char* what) {
    uint8_t byte;
    HEED_CHECK(source_.read(&byte, 1) == 0, kOp, path_, " goes on behind its end: its header says ", size(0), " ", what,
               ", and more bytes follow");
  }

 private:
  long number() {
    uint8_t b[4];
    HEED_CHECK(source_.read(b, 4) == 4, kOp, path_, " is cut off: it ends inside of its header");
    return long(b[0]) << 24 | long(b[1]) << 16 | long(b[2]) << 8 | b[3];
  }

  std::string path_;
  ByteSource source_;
  std::vector<long> sizes_;
};

}  // namespace

void read_idx_images(const std::string& path, const std::vector<long>& labels, TakeImage take) {
  IdxFile file(path, 3);
  const long count = file.size(0), rows = file.size(1), columns = file.size(2);
  HEED_CHECK(rows >= 1 && columns >= 1 && rows <= kMaxIdxSide && columns <= kMaxIdxSide, kOp, path, " has pictures of ",
             rows, " x ", columns, " pixels by its header; 1 to ", kMaxIdxSide, " are possible along each side");
  HEED_CHECK(labels.empty() || long(labels.size()) == count, kOp, path, " has ", count,
             " pictures by its header, and there are ", labels.size(), " labels");
  Image image{.rows = rows, .columns = columns, .pixels = std::vector<uint8_t>(size_t(rows * columns))};
  for (long i = 0; i < count; i++) {
    file.read(image.pixels, i, "pictures");
    take(image, labels.empty() ? -1 : labels[size_t(i)]);
  }
  file.check_end("pictures");
}

std::vector<long> read_idx_labels(const std::string& path) {
  IdxFile file(path, 1);
  std::vector<long> labels;
  std::vector<uint8_t> one(1);
  for (long i = 0; i < file.size(0); i++) {
    file.read(one, i, "labels");
    labels.push_back(one[0]);
  }
  file.check_end("labels");
  return labels;
}

std::string idx_labels_beside(const std::string& path) {
  const std::string images = "images-idx3", labels = "labels-idx1";
  const size_t at = path.rfind(images);
  if (at == std::string::npos) return "";
  std::string name = path;
  name.replace(at, images.size(), labels);
  const std::string bare = name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
  std::error_code none;
  for (const std::string& each : {name, bare, bare + ".gz"})
    if (std::filesystem::is_regular_file(each, none)) return each;
  return "";
}

}  // namespace heed
