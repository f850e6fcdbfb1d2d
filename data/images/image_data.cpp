#include "data/images/image_data.h"

#include <zlib.h>

#include <algorithm>

#include "data/hashed_order.h"
#include "data/images/collected_images.h"
#include "system/error.h"
#include "system/nearest.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr const char* kOp = "images";

void check(const ImageOptions& o) {
  HEED_CHECK(o.size >= kMinSize && o.size <= kMaxSize, kOp, "the size is ", o.size, "; pictures of ", kMinSize, " x ",
             kMinSize, " to ", kMaxSize, " x ", kMaxSize, " pixels can be learned");
  const auto& names = colour_names();
  if (std::find(names.begin(), names.end(), o.colour) == names.end()) fail_unknown(kOp, "colour", o.colour, names);
}

void append(Images& to, const Images& from, size_t i) {
  const auto picture = from.picture(long(i));
  to.pixels.insert(to.pixels.end(), picture.begin(), picture.end());
  if (!from.labels.empty()) to.labels.push_back(from.labels[i]);
}

void split(ImageData& data, const CollectedImages& all) {
  const size_t n = size_t(all.images.count()), own_test = size_t(all.own_test);
  const size_t parted = n - own_test;  // the data's own test part comes last
  const size_t valid = std::max(parted / 20, size_t(1)), test = own_test ? 0 : valid;
  for (Images* part : {&data.train, &data.valid, &data.test})
    part->size = all.images.size, part->channels = all.images.channels;
  size_t number = 0;
  for (const size_t i : hashed_order(kOp, parted)) {
    append(number < valid ? data.valid : number < valid + test ? data.test : data.train, all.images, i);
    number++;
  }
  for (size_t i = parted; i < n; i++) append(data.test, all.images, i);
}

std::string fingerprint_of(const Images& images) {
  uLong sum = crc32_z(0, images.pixels.data(), images.pixels.size());
  for (const long label : images.labels) {
    const auto byte = Bytef(label);
    sum = crc32_z(sum, &byte, 1);
  }
  return std::to_string(images.count()) + format(" pictures, crc32 %08lx", sum);
}

}  // namespace

const std::vector<std::string>& colour_names() {
  static const std::vector<std::string> names = {"auto", "grey", "colour"};
  return names;
}

ImageData ImageData::open(const std::string& path, const ImageOptions& options) {
  check(options);
  const CollectedImages all = collect_images(path, options);
  HEED_CHECK(all.images.count() >= kFewestPictures, kOp, path, " has ", all.images.count(),
             " pictures that can be read; at least ", kFewestPictures, " are needed");
  ImageData data;
  data.labels = all.labels;
  data.notes = all.notes;
  data.fingerprint = fingerprint_of(all.images);
  split(data, all);
  return data;
}

std::string ImageData::summary() const {
  const auto number = [](long n) { return std::to_string(n); };
  const std::string side = number(train.size);
  return number(train.count() + valid.count() + test.count()) + (train.channels == 1 ? " grey" : "") + " pictures of " +
         side + " x " + side + (labels.empty() ? ", no labels" : ", " + number(long(labels.size())) + " labels") +
         ": train " + number(train.count()) + ", valid " + number(valid.count()) + ", test " + number(test.count());
}

}  // namespace heed
