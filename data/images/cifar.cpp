#include "data/images/cifar.h"

#include "system/error.h"
#include "system/file_bytes.h"

namespace heed {
namespace {

constexpr const char* kOp = "cifar";
constexpr long kSide = 32, kPlane = kSide * kSide, kRecord = 1 + 3 * kPlane;

}  // namespace

const std::vector<std::string>& cifar_labels() {
  static const std::vector<std::string> names = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                 "dog",      "frog",       "horse", "ship", "truck"};
  return names;
}

void read_cifar(const std::string& path, TakeImage take) {
  const FileBytes file(kOp, path);
  HEED_CHECK(file.size() > 0 && file.size() % kRecord == 0, kOp, path, " has ", file.size(),
             " bytes; CIFAR-10 in binary is records of ", kRecord,
             " bytes (a label, 1024 red, 1024 green, 1024 blue), ", file.size() / kRecord, " of them and ",
             file.size() % kRecord, " bytes are here");
  Image image{.rows = kSide, .columns = kSide, .channels = 3, .pixels = std::vector<uint8_t>(size_t(3 * kPlane))};
  for (long at = 0; at < file.size(); at += kRecord) {
    const uint8_t* record = file.data() + at;
    HEED_CHECK(record[0] < cifar_labels().size(), kOp, path, " has the label ", int(record[0]), " at byte ", at,
               "; CIFAR-10 has 0 to 9. Is it CIFAR-100, or no such file at all?");
    for (long c = 0; c < 3; c++)
      for (long i = 0; i < kPlane; i++) image.pixels[size_t(3 * i + c)] = record[1 + c * kPlane + i];
    take(image, record[0]);
  }
}

}  // namespace heed
