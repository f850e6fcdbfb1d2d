// Readers of idx, CIFAR-10, PNG and JPEG: what is right is read, and what is broken or lies is explained.
#include <zlib.h>

#include "data/images/cifar.h"
#include "data/images/idx.h"
#include "data/images/picture_file.h"
#include "show/picture.h"
#include "system/write_file.h"
#include "tests/data/images/picture_bytes.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(image_readers_test)

namespace {

std::string packed_as(int window_bits, const std::string& bytes) {
  z_stream z = {};
  deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 1000, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())), z.avail_in = uInt(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data()), z.avail_out = uInt(out.size());
  deflate(&z, Z_FINISH);
  deflateEnd(&z);
  return out.substr(0, z.total_out);
}
std::string gzip(const std::string& bytes) { return packed_as(15 + 16, bytes); }
std::string zlib(const std::string& bytes) { return packed_as(15, bytes); }

struct At {
  Folder folder;
  std::string path = folder / "a";
  std::vector<Image> images = {};
  std::vector<long> labels = {};

  void read(const std::string& bytes, const std::vector<long>& given = {}) {
    write_file(path, bytes);
    read_idx_images(path, given,
                    [&](const Image& image, long label) { images.push_back(image), labels.push_back(label); });
  }
  std::string error(const std::string& bytes, const std::vector<long>& given = {}) {
    std::string text = error_of([&] { read(bytes, given); });
    return text.find(path) == std::string::npos ? text : text.replace(text.find(path), path.size(), "FILE");
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(idx_files_are_read_packed_or_not) {
  for (const std::string& bytes : {idx_pictures(3, 2, 4), gzip(idx_pictures(3, 2, 4))}) {
    At at;
    at.read(bytes, {5, 6, 7});
    BOOST_REQUIRE(at.images.size() == 3u);
    BOOST_TEST(at.images[2].rows == 2);
    BOOST_TEST(at.images[2].columns == 4);
    BOOST_TEST(at.images[2].pixels == (std::vector<uint8_t>{2, 3, 4, 5, 6, 7, 8, 9}));
    BOOST_TEST(at.labels == (std::vector<long>{5, 6, 7}));
  }
  const Folder folder;
  write_file(folder / "l", gzip(idx_labels({1, 0, 255})));
  BOOST_TEST(read_idx_labels(folder / "l") == (std::vector<long>{1, 0, 255}));
}

BOOST_AUTO_TEST_CASE(every_cut_of_an_idx_file_is_noticed) {
  for (const std::string& whole : {idx_pictures(2, 2, 3), gzip(idx_pictures(2, 2, 3))})
    for (size_t size = 0; size < whole.size(); size++) {
      At at;
      const std::string text = at.error(whole.substr(0, size));
      BOOST_TEST((text.find("is cut off") != std::string::npos || text.find("is no idx file") != std::string::npos),
                 size << ": " << text);
    }
}

BOOST_AUTO_TEST_CASE(headers_that_lie_are_explained) {
  At at;
  BOOST_TEST(at.error("GIF89a..") ==
             "idx: FILE is no idx file of pictures: it begins with 47 49 46 38, and 00 00 08 03 was expected (unsigned "
             "bytes, 3 dimensions)");
  BOOST_TEST(at.error(idx_pictures(0, 2, 2)) == "idx: FILE is empty: its header says 0 pictures");
  BOOST_TEST(at.error(idx_pictures(1, 0, 2)) ==
             "idx: FILE has pictures of 0 x 2 pixels by its header; 1 to 4096 are possible along each side");
  std::string huge = idx_pictures(1, 2, 2);
  huge.replace(4, 12, std::string(12, '\xff'));
  BOOST_TEST(at.error(huge) ==
             "idx: FILE has pictures of 4294967295 x 4294967295 pixels by its header; 1 to 4096 are "
             "possible along each side");
  std::string many = idx_pictures(2, 2, 2);
  many.replace(4, 4, std::string(4, '\xff'));
  BOOST_TEST(at.error(many) == "idx: FILE is cut off: its header says 4294967295 pictures, and it ends after 2");
  BOOST_TEST(at.error(idx_pictures(2, 2, 2) + "x") ==
             "idx: FILE goes on behind its end: its header says 2 pictures, and more bytes follow");
  BOOST_TEST(at.error(idx_pictures(2, 2, 2), {1}) == "idx: FILE has 2 pictures by its header, and there are 1 labels");
  std::string bad = gzip(idx_pictures(20, 20, 20));
  bad[40] = char(~bad[40]), bad[41] = char(~bad[41]), bad[50] = char(~bad[50]);
  BOOST_TEST(at.error(bad).starts_with("idx: FILE is "), at.error(bad));
}

BOOST_AUTO_TEST_CASE(labels_are_found_beside_their_pictures) {
  const Folder folder;
  BOOST_TEST(idx_labels_beside(folder / "train-images-idx3-ubyte.gz") == "");
  write_file(folder / "train-labels-idx1-ubyte", "x");
  BOOST_TEST(idx_labels_beside(folder / "train-images-idx3-ubyte.gz") == folder / "train-labels-idx1-ubyte");
  BOOST_TEST(idx_labels_beside(folder / "other") == "");
}

BOOST_AUTO_TEST_CASE(cifar_has_planes_of_colours) {
  const Folder folder;
  const std::string path = folder / "a.bin";
  write_file(path, cifar_records(3));
  long count = 0;
  read_cifar(path, [&](const Image& image, long label) {
    BOOST_TEST(label == count);
    BOOST_TEST(image.pixels[3 * 1023] == 10 * count);
    BOOST_TEST(image.pixels[3 * 1023 + 1] == 2);
    BOOST_TEST(image.pixels[3 * 1023 + 2] == 3);
    count++;
  });
  BOOST_TEST(count == 3);
  const auto error = [&](const std::string& bytes) {
    write_file(path, bytes);
    return error_of([&] { read_cifar(path, [](const Image&, long) {}); });
  };
  BOOST_TEST(error(cifar_records(2) + "x") ==
             "cifar: " + path +
                 " has 6147 bytes; CIFAR-10 in binary is records of 3073 bytes (a label, 1024 red, 1024 "
                 "green, 1024 blue), 2 of them and 1 bytes are here");
  BOOST_TEST(error("") == "cifar: " + path +
                              " has 0 bytes; CIFAR-10 in binary is records of 3073 bytes (a label, 1024 "
                              "red, 1024 green, 1024 blue), 0 of them and 0 bytes are here");
  BOOST_TEST(error("\x0a" + std::string(3072, 'x')) == "cifar: " + path +
                                                           " has the label 10 at byte 0; CIFAR-10 has 0 "
                                                           "to 9. Is it CIFAR-100, or no such file at all?");
}

BOOST_AUTO_TEST_CASE(png_and_jpeg_are_read) {
  const Folder folder;
  Picture picture(3, 2, rgb(0x102030));
  picture.pixel(2, 1, rgb(0xff8000));
  picture.write_png(folder / "a.png");
  const Image png = parse_picture(read_file(folder / "a.png"), "a.png");
  BOOST_TEST(png.rows == 2);
  BOOST_TEST(png.columns == 3);
  BOOST_TEST((png.pixels == std::vector<uint8_t>{16, 32, 48, 16, 32, 48, 16, 32, 48,  //
                                                 16, 32, 48, 16, 32, 48, 255, 128, 0}));
  const Image red = parse_picture(jpeg(), "a.jpg");
  BOOST_TEST(red.rows == 8);
  BOOST_TEST(std::abs(red.pixels[0] - 200) < 12);
  BOOST_TEST(std::abs(red.pixels[1] - 80) < 12);
}

BOOST_AUTO_TEST_CASE(broken_pictures_are_explained) {
  const Folder folder;
  Picture(40, 30).write_png(folder / "a.png");
  const std::string png = read_file(folder / "a.png");
  const auto error = [](const std::string& bytes) { return error_of([&] { parse_picture(bytes, "F"); }); };
  BOOST_TEST(error("") == "picture: F has 0 bytes; a PNG or JPEG file has some, and less than 2 GB");
  BOOST_TEST(error("no picture at all").starts_with("picture: F is no PNG or JPEG picture ("));
  for (size_t size = 1; size + 12 < png.size(); size++)
    BOOST_TEST(error(png.substr(0, size)).starts_with("picture: F "));
  for (size_t size = 1; size < 200; size += 7) BOOST_TEST(error(jpeg().substr(0, size)).starts_with("picture: F "));
  std::string huge = png;
  huge.replace(16, 8, std::string("\0\0\x3f\xff\0\0\x3f\xff", 8));
  BOOST_TEST(error(huge) == "picture: F says that it has 16383 x 16383 pixels; at most 100000000 can be read");
  huge.replace(16, 8, std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8));
  BOOST_TEST(error(huge).starts_with("picture: F is no PNG or JPEG picture ("));
  std::string none = png;
  none.replace(16, 4, std::string(4, '\0'));
  BOOST_TEST(error(none).starts_with("picture: F is no PNG or JPEG picture ("));
}

// stb_image 2.27 would write behind its table.
BOOST_AUTO_TEST_CASE(a_jpeg_table_with_too_many_codes_is_refused) {
  const auto error = [](const std::string& bytes) { return error_of([&] { parse_picture(bytes, "F"); }); };
  const std::string good = jpeg();
  const size_t table = good.find("\xff\xc4");
  BOOST_REQUIRE(table != std::string::npos);
  const std::string damaged = "picture: F is damaged: one of its JPEG tables has more than 256 codes";
  std::string bad = good;
  bad.replace(table + 5, 2, "\xff\xff");
  BOOST_TEST(error(bad) == damaged);
  BOOST_TEST(error(good.substr(0, table) + "\xff\xff" + bad.substr(table)) == damaged);  // with bytes to fill up
  const std::string segment = bad.substr(table, 40);
  BOOST_TEST(error(good.substr(0, good.size() - 2) + segment) == damaged);  // behind the scan
  const std::string comment("\xff\xfe\0\4\xff\xd9", 6);  // what looks like the end inside of it is not
  BOOST_TEST(error(good.substr(0, good.size() - 2) + comment + segment) == damaged);
  std::string inside = good;  // of an application's segment it is not a table
  inside.insert(2, std::string("\xff\xe5\0\x2a", 4) + segment);
  BOOST_TEST(parse_picture(inside, "F").rows == 8);
}

BOOST_AUTO_TEST_CASE(a_jpeg_that_contradicts_itself_is_named) {
  BOOST_TEST(error_of([] { parse_picture(contradicting_jpeg(), "F"); }) ==
             "picture: F is damaged: its data contradicts itself");
  BOOST_TEST(parse_picture(jpeg(), "F").rows == 8);  // and the next one is read
}

// 1 x 1 pixels by its header, and data that unpacks to 64 MB.
BOOST_AUTO_TEST_CASE(a_png_that_unpacks_to_more_than_its_size_is_refused) {
  const Folder folder;
  Picture(1, 1).write_png(folder / "a.png");
  const std::string png = read_file(folder / "a.png");
  const size_t data = png.find("IDAT") - 4;
  const auto with = [&](size_t unpacked) {
    const std::string packed = zlib(std::string(unpacked, '\0'));
    return png.substr(0, data) + idx_number(long(packed.size())) + "IDAT" + packed + "sum!" +
           png.substr(png.find("IEND") - 4);
  };
  BOOST_TEST(parse_picture(with(1000), "F").rows == 1);
  BOOST_TEST(error_of([&] { parse_picture(with(64 << 20), "F"); }) == "picture: F is damaged or cut off (outofmem)");
}

// Phones append a film to a picture ("motion photos"), whose bytes look like anything.
BOOST_AUTO_TEST_CASE(what_follows_the_end_of_a_jpeg_is_not_read) {
  const std::string good = jpeg(), film = std::string("\xff\xc4\0\x20", 4) + std::string(300, '\xff');
  BOOST_REQUIRE(good.ends_with("\xff\xd9"));
  BOOST_TEST((parse_picture(good + film, "F").pixels == parse_picture(good, "F").pixels));
  const std::string comment("\xff\xfe\0\4\xff\xd9", 6);
  const std::string longer = good.substr(0, good.size() - 2) + comment + "\xff\xd9";
  BOOST_TEST((parse_picture(longer + film, "F").pixels == parse_picture(good, "F").pixels));
}

BOOST_AUTO_TEST_SUITE_END()
