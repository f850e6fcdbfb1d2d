#include "data/images/collected_images.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "data/images/cifar.h"
#include "data/images/idx.h"
#include "data/images/picture_file.h"
#include "data/images/shapes.h"
#include "system/error.h"
#include "system/file_bytes.h"
#include "system/text.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOp = "images";
constexpr const char* kFashionName = "fashion-mnist";
constexpr const char* kFashionFolder = "/usr/share/datasets/fashion-mnist";
const std::vector<std::string> kFashionLabels = {"t-shirt", "trouser", "pullover", "dress", "coat",
                                                 "sandal",  "shirt",   "sneaker",  "bag",   "ankle boot"};

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

// NAME or NAME.gz in the folder; "" if neither is there.
std::string plain_or_packed(const fs::path& folder, const std::string& name) {
  for (const std::string& each : {name, name + ".gz"})
    if (is_file(folder / each)) return (folder / each).string();
  return "";
}

bool is_grey(const Image& image) {
  if (image.channels == 1) return true;
  for (size_t i = 0; i < image.pixels.size(); i += 3)
    if (image.pixels[i] != image.pixels[i + 1] || image.pixels[i] != image.pixels[i + 2]) return false;
  return true;
}

// Takes pictures one by one. With colour "auto" it keeps one channel until a picture has colours.
class Collector {
 public:
  explicit Collector(const ImageOptions& options) : o_(options) {
    all_.images.size = o_.size;
    all_.images.channels = o_.colour == "colour" ? 3 : 1;
  }

  void operator()(const Image& image, long label) {
    enlarged_ += std::min(image.rows, image.columns) < o_.size;
    const Image square = square_of(image, o_.size);
    const bool first_colours = o_.colour == "auto" && all_.images.channels == 1 && !is_grey(square);
    check_room(all_.images.count() + 1, first_colours ? 3 : all_.images.channels);
    if (first_colours) take_colours();
    const Image own = all_.images.channels == 1 ? grey_of(square) : colour_of(square);
    all_.images.pixels.insert(all_.images.pixels.end(), own.pixels.begin(), own.pixels.end());
    all_.images.labels.push_back(label);
  }

  // Throws if so many pictures are more than may be in memory.
  void check_room(long pictures, long channels) const {
    const long wanted = pictures * o_.size * o_.size * channels;
    HEED_CHECK(wanted <= o_.most_bytes, kOp, pictures, " pictures of ", o_.size, " x ", o_.size, " with ", channels,
               channels == 1 ? " channel" : " channels", " are ", wanted, " bytes, and at most ", o_.most_bytes,
               " are taken; choose a smaller --size, or fewer pictures");
  }

  void note(const std::string& text) { all_.notes.push_back(text); }
  void own_test_begins() { test_begins_ = all_.images.count(); }
  const std::vector<long>& labels() const { return all_.images.labels; }
  void label(size_t picture, long label) { all_.images.labels[picture] = label; }

  CollectedImages finished(const std::vector<std::string>& labels) {
    if (test_begins_ >= 0) all_.own_test = all_.images.count() - test_begins_;
    all_.labels = labels;
    if (labels.empty()) all_.images.labels.clear();
    const std::string side = std::to_string(o_.size);
    if (enlarged_)
      note(std::to_string(enlarged_) + " of " + std::to_string(all_.images.count()) + " pictures are smaller than " +
           side + " x " + side + ": their pixels are repeated");
    return std::move(all_);
  }

 private:
  void take_colours() {
    std::vector<uint8_t> colours;
    for (const uint8_t level : all_.images.pixels) colours.insert(colours.end(), 3, level);
    all_.images.pixels = std::move(colours);
    all_.images.channels = 3;
  }

  ImageOptions o_;
  CollectedImages all_;
  long enlarged_ = 0, test_begins_ = -1;
};

std::vector<std::string> numbered(const std::vector<long>& labels) {
  std::vector<std::string> names;
  const long most = labels.empty() ? -1 : *std::max_element(labels.begin(), labels.end());
  for (long i = 0; i <= most; i++) names.push_back(std::to_string(i));
  return names;
}

// Are there labels?
bool add_idx(Collector& to, const std::string& path) {
  const std::string labels = idx_labels_beside(path);
  read_idx_images(path, labels.empty() ? std::vector<long>() : read_idx_labels(labels), to);
  return !labels.empty();
}

CollectedImages from_idx(Collector& to, const std::string& train, const std::string& test,
                         const std::vector<std::string>& names) {
  bool labelled = add_idx(to, train);
  if (!test.empty()) {
    to.own_test_begins();
    const bool own = add_idx(to, test);
    if (labelled != own)
      to.note((own ? train : test) + " has no file of labels beside it: those of " + (own ? test : train) +
              " do not count, and no picture has a label");
    labelled &= own;
  }
  const std::vector<std::string> numbers = labelled ? numbered(to.labels()) : std::vector<std::string>();
  return to.finished(numbers.size() == names.size() ? names : numbers);
}

CollectedImages from_cifar(Collector& to, const fs::path& folder) {
  for (int i = 1; i <= 5; i++) {
    const fs::path path = folder / format("data_batch_%d.bin", i);
    if (is_file(path)) read_cifar(path.string(), to);
  }
  if (is_file(folder / "test_batch.bin")) {
    to.own_test_begins();
    read_cifar((folder / "test_batch.bin").string(), to);
  }
  return to.finished(cifar_labels());
}

// folders: of all pictures
std::vector<std::string> folder_labels(const std::vector<std::string>& folders) {
  const std::set<std::string> names(folders.begin(), folders.end());
  if (names.contains("") || names.size() < 2) return {};
  return {names.begin(), names.end()};
}

CollectedImages from_pictures(Collector& to, const std::string& folder) {
  const std::vector<PictureFile> files = picture_files(folder);
  HEED_CHECK(!files.empty(), kOp, "the folder ", folder,
             " has no pictures: no NAME.png, .jpg or .jpeg is in it or below it");
  std::vector<std::string> folders;  // of the pictures that are taken
  long bad = 0;
  std::string first;
  for (const PictureFile& file : files) {
    std::optional<Image> image;
    try {
      image = parse_picture(FileBytes(kOp, file.path).bytes(), file.path);
    } catch (const Error& error) {
      if (bad++ == 0) first = error.what();
    }
    if (!image) continue;
    to(*image, -1);
    folders.push_back(file.folder);
  }
  if (bad)
    to.note(std::to_string(bad) + " of " + std::to_string(files.size()) +
            (bad == 1 ? " files is left out: " : " files are left out, the first: ") + first);
  const std::vector<std::string> labels = folder_labels(folders);
  for (size_t i = 0; i < folders.size() && !labels.empty(); i++)
    to.label(i, std::find(labels.begin(), labels.end(), folders[i]) - labels.begin());
  return to.finished(labels);
}

CollectedImages from_folder(Collector& to, const fs::path& folder, const std::vector<std::string>& names) {
  const std::string train = plain_or_packed(folder, "train-images-idx3-ubyte");
  if (!train.empty()) return from_idx(to, train, plain_or_packed(folder, "t10k-images-idx3-ubyte"), names);
  if (is_file(folder / "data_batch_1.bin")) return from_cifar(to, folder);
  return from_pictures(to, folder.string());
}

CollectedImages from_file(Collector& to, const std::string& path) {
  if (path.ends_with(".bin")) {
    read_cifar(path, to);
    return to.finished(cifar_labels());
  }
  const FileBytes file(kOp, path);
  const bool idx = file.bytes().starts_with(std::string_view("\0\0", 2)) || file.bytes().starts_with("\x1f\x8b");
  HEED_CHECK(idx, kOp, path,
             " is no pictures that can be learned; give a folder of PNG or JPEG files, an idx file or its .gz, "
             "CIFAR-10 as NAME.bin, fashion-mnist, or shapes");
  return from_idx(to, path, "", {});
}

}  // namespace

std::string usual_images() {
  return plain_or_packed(kFashionFolder, "train-images-idx3-ubyte").empty() ? "shapes" : kFashionName;
}

CollectedImages collect_images(const std::string& data, const ImageOptions& options) {
  Collector to(options);
  std::error_code none;
  if ((data == "shapes" && !fs::exists(data, none)) || data.starts_with("shapes:")) {
    const ShapesOptions shapes = shapes_options(data);
    to.check_room(shapes.pictures, options.colour == "grey" ? 1 : 3);
    make_shapes(shapes, to);
    return to.finished(shape_labels());
  }
  if (data == kFashionName && !fs::exists(data, none)) {
    HEED_CHECK(usual_images() == kFashionName, kOp, "fashion-mnist is not installed (", kFashionFolder,
               "); Debian has it: apt-get install dataset-fashion-mnist");
    return from_folder(to, kFashionFolder, kFashionLabels);
  }
  return fs::is_directory(data, none) ? from_folder(to, data, {}) : from_file(to, data);
}

}  // namespace heed
