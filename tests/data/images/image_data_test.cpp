// Pictures behind a path: which kind it is, how it is parted, what is left out.
#include "data/images/image_data.h"

#include <filesystem>
#include <set>

#include "show/picture.h"
#include "system/write_file.h"
#include "tests/data/images/picture_bytes.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(image_data_test)

namespace {

void write_pngs(const Folder& folder, const std::string& stem, long count, Colour colour) {
  for (long i = 0; i < count; i++)
    Picture(20 + i % 7, 16 + i % 5, colour).write_png(folder / (stem + std::to_string(i) + ".png"));
}

// The working directory, for as long as this is there.
struct InFolder {
  explicit InFolder(const Folder& folder) { std::filesystem::current_path(folder.path); }
  ~InFolder() { std::filesystem::current_path(before); }
  std::filesystem::path before = std::filesystem::current_path();
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_folder_as_mnist_has_labels_and_a_test_part) {
  const Folder folder;
  write_file(folder / "train-images-idx3-ubyte", idx_pictures(100, 28, 28));
  write_file(folder / "train-labels-idx1-ubyte", idx_labels(std::vector<int>(100, 2)));
  write_file(folder / "t10k-images-idx3-ubyte", idx_pictures(9, 28, 28));
  write_file(folder / "t10k-labels-idx1-ubyte", idx_labels(std::vector<int>(9, 1)));
  const ImageData data = ImageData::open(folder.path.string(), {});
  BOOST_TEST(data.summary() == "109 grey pictures of 14 x 14, 3 labels: train 95, valid 5, test 9");
  BOOST_TEST((data.labels == std::vector<std::string>{"0", "1", "2"}));
  BOOST_TEST(data.test.labels[0] == 1);
  BOOST_TEST(data.test.picture(0)[0] == 15);  // of 0, 1, 28, 29, rounded
  BOOST_TEST(data.train.labels.size() == 95u);
  BOOST_TEST(ImageData::open(folder.path.string(), {.size = 28}).fingerprint != data.fingerprint);
  BOOST_TEST(ImageData::open(folder.path.string(), {.colour = "colour"}).train.channels == 3);
}

BOOST_AUTO_TEST_CASE(cifar_is_colour_unless_grey_is_asked_for) {
  const Folder folder;
  write_file(folder / "a.bin", cifar_records(60));
  const ImageData data = ImageData::open(folder / "a.bin", {.size = 16});
  BOOST_TEST(data.summary() == "60 pictures of 16 x 16, 10 labels: train 54, valid 3, test 3");
  BOOST_TEST(data.labels[3] == "cat");
  BOOST_TEST(ImageData::open(folder / "a.bin", {.size = 16, .colour = "grey"}).train.channels == 1);
}

BOOST_AUTO_TEST_CASE(pictures_of_any_size_become_squares_and_folders_are_labels) {
  const Folder folder;
  write_pngs(folder, "dark/a", 30, rgb(0x101010));
  write_pngs(folder, "bright/deep/b", 30, rgb(0xf0f0f0));
  const ImageData data = ImageData::open(folder.path.string(), {});
  BOOST_TEST(data.summary() == "60 grey pictures of 14 x 14, 2 labels: train 54, valid 3, test 3");
  BOOST_TEST((data.labels == std::vector<std::string>{"bright", "dark"}));
  for (long i = 0; i < data.train.count(); i++)
    BOOST_TEST(data.train.picture(i)[0] == (data.train.labels[size_t(i)] ? 0x10 : 0xf0));
  BOOST_TEST(data.notes.empty());
  write_pngs(folder, "c", 1, rgb(0xff0000));  // in no folder: no labels; and colour comes late
  const ImageData more = ImageData::open(folder.path.string(), {.size = 32});
  BOOST_TEST(more.summary() == "61 pictures of 32 x 32, no labels: train 55, valid 3, test 3");
  BOOST_TEST(more.train.labels.empty());
  BOOST_REQUIRE(more.notes.size() == 1u);
  BOOST_TEST(more.notes[0] == "61 of 61 pictures are smaller than 32 x 32: their pixels are repeated");
}

BOOST_AUTO_TEST_CASE(broken_pictures_are_left_out_and_named) {
  const Folder folder;
  write_pngs(folder, "b", 50, rgb(0x0000ff));
  write_file(folder / "a.png", "broken");
  write_file(folder / "c.JPG", "");
  write_file(folder / ".hidden.png", "broken");
  write_file(folder / "notes.txt", "no picture");
  const ImageData data = ImageData::open(folder.path.string(), {});
  BOOST_TEST(data.train.count() == 46);
  BOOST_REQUIRE(data.notes.size() == 1u);
  BOOST_TEST(data.notes[0].starts_with("2 of 52 files are left out, the first: picture: " + (folder / "a.png") +
                                       " is no PNG or JPEG picture ("),
             data.notes[0]);
}

BOOST_AUTO_TEST_CASE(labels_are_of_pictures_that_were_taken) {
  const Folder folder;
  write_pngs(folder, "one/a", 30, rgb(0x0000ff));
  write_pngs(folder, "two/a", 30, rgb(0xff0000));
  write_file(folder / "none/a.png", "broken");  // a label without a picture
  write_file(folder / "a.png", "broken");       // in no folder, and no picture
  const ImageData data = ImageData::open(folder.path.string(), {});
  BOOST_TEST((data.labels == std::vector<std::string>{"one", "two"}));
  for (long i = 0; i < data.train.count(); i++)
    BOOST_TEST(data.train.picture(i)[0] == (data.train.labels[size_t(i)] ? 0xff : 0));
}

BOOST_AUTO_TEST_CASE(a_part_without_labels_is_named) {
  const Folder folder;
  write_file(folder / "train-images-idx3-ubyte", idx_pictures(100, 28, 28));
  write_file(folder / "train-labels-idx1-ubyte", idx_labels(std::vector<int>(100, 2)));
  write_file(folder / "t10k-images-idx3-ubyte", idx_pictures(9, 28, 28));
  const ImageData data = ImageData::open(folder.path.string(), {});
  BOOST_TEST(data.labels.empty());
  BOOST_REQUIRE(data.notes.size() == 1u);
  BOOST_TEST(data.notes[0] == (folder / "t10k-images-idx3-ubyte") + " has no file of labels beside it: those of " +
                                  (folder / "train-images-idx3-ubyte") + " do not count, and no picture has a label");
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_called_shapes_comes_first) {
  const Folder folder;
  write_pngs(folder, "shapes/a", 60, rgb(0x101010));
  const InFolder inside(folder);
  BOOST_TEST(ImageData::open("shapes", {}).summary().starts_with("60 grey pictures of 14 x 14, no labels"));
  BOOST_TEST(ImageData::open("shapes:pictures=70", {}).summary().starts_with("70 pictures of 14 x 14, 5 labels"));
}

BOOST_AUTO_TEST_CASE(a_split_does_not_lose_or_double_a_picture) {
  const ImageData data = ImageData::open("shapes:pictures=200", {});
  BOOST_TEST(data.summary() == "200 pictures of 14 x 14, 5 labels: train 180, valid 10, test 10");
  std::set<std::vector<uint8_t>> seen;
  for (const Images* part : {&data.train, &data.valid, &data.test})
    for (long i = 0; i < part->count(); i++) seen.insert({part->picture(i).begin(), part->picture(i).end()});
  BOOST_TEST(seen.size() == 200u);
  BOOST_TEST(data.fingerprint == ImageData::open("shapes:pictures=200", {}).fingerprint);
  BOOST_TEST(data.fingerprint == "200 pictures, crc32 e98038ee");  // the same on every machine
  BOOST_TEST(data.fingerprint != ImageData::open("shapes:pictures=200,seed=2", {}).fingerprint);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_learned_is_explained) {
  const Folder folder;
  const std::string path = folder.path.string();
  const auto error = [](const std::string& data, const ImageOptions& options = {}) {
    return error_of([&] { ImageData::open(data, options); });
  };
  BOOST_TEST(error(path) ==
             "images: the folder " + path + " has no pictures: no NAME.png, .jpg or .jpeg is in it or below it");
  BOOST_TEST(error(path + "/missing").starts_with("images: cannot read " + path + "/missing"));
  write_file(folder / "a.txt", "a text");
  BOOST_TEST(error(folder / "a.txt") ==
             "images: " + (folder / "a.txt") +
                 " is no pictures that can be learned; give a folder of PNG or JPEG files, an idx file or its .gz, "
                 "CIFAR-10 as NAME.bin, fashion-mnist, or shapes");
  BOOST_TEST(error("shapes:pictures=49") ==
             "images: shapes:pictures=49 has 49 pictures that can be read; at least 50 are needed");
  BOOST_TEST(error("shapes:colours=3") == "shapes: there is no option 'colours'; there are pictures, seed");
  BOOST_TEST(error("shapes", {.size = 65}) ==
             "images: the size is 65; pictures of 14 x 14 to 64 x 64 pixels can be learned");
  BOOST_TEST(error("shapes", {.colour = "gray"}).starts_with("images: there is no colour 'gray'"));
  BOOST_TEST(ImageData::open("shapes:pictures=50", {}).valid.count() == 2);
}

// A small file can hold very many pictures, and small ones are enlarged.
BOOST_AUTO_TEST_CASE(more_pictures_than_may_be_in_memory_are_refused) {
  const auto error = [](const std::string& data, const ImageOptions& options = {}) {
    return error_of([&] { ImageData::open(data, options); });
  };
  BOOST_TEST(error("shapes:pictures=10000000") ==  // before the first is drawn
             "images: 10000000 pictures of 14 x 14 with 3 channels are 5880000000 bytes, and at most 2147483648 are "
             "taken; choose a smaller --size, or fewer pictures");
  const Folder folder;
  write_file(folder / "a", idx_pictures(100, 1, 1));
  const long room = 60 * 14 * 14;
  BOOST_TEST(error(folder / "a", {.most_bytes = room}) ==
             "images: 61 pictures of 14 x 14 with 1 channel are 11956 bytes, and at most 11760 are taken; choose a "
             "smaller --size, or fewer pictures");
  BOOST_TEST(ImageData::open(folder / "a", {.most_bytes = 100 * 14 * 14}).train.count() == 90);
  write_pngs(folder, "grey/a", 30, rgb(0x101010));  // one that has colours makes three channels of all
  write_pngs(folder, "tint/b", 30, rgb(0xf0f000));
  BOOST_TEST(error(folder / "", {.most_bytes = room}).starts_with("images: 31 pictures of 14 x 14 with 3 channels"));
}

BOOST_AUTO_TEST_SUITE_END()
