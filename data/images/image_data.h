// ImageData: pictures of one size to learn, from files of several kinds, parted into training, validation and test.
//
//   const ImageData data = ImageData::open("photos", {.size = 32});
//   data.train.picture(0)      // 32 x 32 x 3 bytes
//
// What can be opened:
//
//   a folder with train-images-idx3-ubyte (packed with .gz or not), t10k-images-idx3-ubyte and their labels: as MNIST
//   one idx file (data/images/idx.h), and its labels if they lie beside it
//   a folder with data_batch_1.bin, ... and test_batch.bin, or one NAME.bin: CIFAR-10
//   any other folder: the PNG and JPEG pictures below it; if all lie in folders of it, those are the labels
//   fashion-mnist: what Debian's package dataset-fashion-mnist installs
//   shapes, shapes:pictures=500: generated (data/images/shapes.h)
//
// A file or folder that is called fashion-mnist or shapes comes first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed {

// Pictures of one size, with a label each or none.
struct Images {
  long size = 0, channels = 1;
  std::vector<uint8_t> pixels = {};  // (count, size, size, channels)
  std::vector<long> labels = {};     // numbers in ImageData::labels; empty: there are none

  long bytes() const { return size * size * channels; }  // of a picture
  long count() const { return bytes() ? long(pixels.size()) / bytes() : 0; }
  std::span<const uint8_t> picture(long i) const {
    return std::span(pixels).subspan(size_t(i * bytes()), size_t(bytes()));
  }
};

inline constexpr long kMinSize = 14, kMaxSize = 64, kFewestPictures = 50;

struct ImageOptions {
  long size = 14;
  std::string colour = "auto";  // grey, colour; auto: grey if all pictures are
  long most_bytes = 1L << 31;   // of all pictures at this size; a file that has more, or only says so, is refused
};
const std::vector<std::string>& colour_names();  // all that `colour` may be

struct ImageData {
  Images train, valid, test;
  std::vector<std::string> labels;  // their names; none: the pictures have no labels
  std::vector<std::string> notes;   // what the user should know: sentences
  std::string fingerprint;          // "70000 pictures, crc32 1c2b3a4d": another one (nearly always) for other pixels

  // Throws a sentence for what cannot be read, and for fewer than 50 pictures or too many. In a folder of pictures
  // those that cannot be read are left out; a note counts them and names the first. 5% are validation and 5% test, by a
  // hash of the picture's number; where the data has a test part of its own, that.
  static ImageData open(const std::string& data, const ImageOptions& options);

  std::string summary() const;  // "70000 grey pictures of 14 x 14, 10 labels: train 57000, valid 3000, test 10000"
};

std::string usual_images();  // fashion-mnist where it is installed, shapes elsewhere

}  // namespace heed
