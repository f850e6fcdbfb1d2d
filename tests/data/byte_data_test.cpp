// Byte data: what becomes a document, and where the splits end.
#include "data/byte_data.h"

#include <cmath>

#include "system/text.h"
#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(byte_data_test)

namespace {

std::string counting(long n) {
  std::string text;
  for (long i = 0; i < n; i++) text += char(1 + (i * 7 + i / 255) % 255);  // no zero: it is text
  return text;
}

std::string text_of(const ByteSplit& split) {
  std::string all;
  for (const ByteDocument& d : split.documents()) all.append(reinterpret_cast<const char*>(d.bytes), size_t(d.size));
  return all;
}

std::string open_error(const std::string& path) {
  return error_of([&] { ByteData::open(path); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_is_split_by_position) {
  const Folder folder;
  write_file(folder / "a", counting(1000));
  const ByteData data = ByteData::open(folder / "a");
  BOOST_TEST(text_of(data.train) == counting(1000).substr(0, 900));
  BOOST_TEST(text_of(data.valid) == counting(1000).substr(900, 50));
  BOOST_TEST(text_of(data.test) == counting(1000).substr(950));
  BOOST_TEST(text_of(data.all) == counting(1000));
  BOOST_TEST(data.all.documents().size() == 1u);  // no target is lost at a border of splits
  BOOST_TEST(data.all.name() == "all");
  BOOST_TEST(data.summary() == "1 document, 1000 bytes: train 900, valid 50, test 50");
}

BOOST_AUTO_TEST_CASE(the_fingerprint_follows_the_bytes_and_not_the_path) {
  const Folder folder;
  const auto fingerprint = [&](const char* name, const std::string& text) {
    write_file(folder / name, text);
    return ByteData::open(folder / name).fingerprint();
  };
  BOOST_TEST(fingerprint("a", "123456789") == "9 bytes, crc32 cbf43926");  // the value that every CRC-32 must have
  BOOST_TEST(fingerprint("b", "123456789") == fingerprint("a", "123456789"));
  BOOST_TEST(fingerprint("a", "123456780") != fingerprint("b", "123456789"));
}

BOOST_AUTO_TEST_CASE(enwik8_is_split_90_5_5_million_and_mapped) {
  const Folder folder;
  write_file(folder / "enwik8", "");
  std::filesystem::resize_file(folder / "enwik8", 100'000'000);  // a hole
  const ByteData data = ByteData::open(folder / "enwik8");
  BOOST_TEST(data.train.size() == 90'000'000);
  BOOST_TEST(data.valid.size() == 5'000'000);
  BOOST_TEST(data.test.size() == 5'000'000);
  BOOST_TEST(data.test.entropy() == 0);
}

BOOST_AUTO_TEST_CASE(no_split_is_ever_empty) {
  const Folder folder;
  for (long n = 3; n < 60; n++) {
    write_file(folder / "a", counting(n));
    const ByteData data = ByteData::open(folder / "a");
    BOOST_TEST((data.train.size() > 0 && data.valid.size() > 0 && data.test.size() > 0), n);
    BOOST_TEST(text_of(data.train) + text_of(data.valid) + text_of(data.test) == counting(n));
  }
}

BOOST_AUTO_TEST_CASE(the_data_outlives_what_it_was_opened_with) {
  const Folder folder;
  write_file(folder / "a", counting(1000));
  const ByteSplit valid = ByteData::open(folder / "a").valid;
  BOOST_TEST(text_of(valid) == counting(1000).substr(900, 50));
}

BOOST_AUTO_TEST_CASE(a_folder_has_sorted_documents_without_hidden_and_binary_ones) {
  const Folder folder;
  for (int i = 0; i < 20; i++) write_file(folder / format("t/%02d.txt", i), counting(100));
  write_file(folder / "t/.hidden/x", "hidden");
  write_file(folder / "t/.also", "hidden");
  write_file(folder / "t/05.bin", std::string("a\0b", 3));
  write_file(folder / "t/06.empty", "");
  std::filesystem::create_symlink(folder / "t", folder / "t/loop");
  const ByteData data = ByteData::open(folder / "t");
  BOOST_TEST(data.train.documents().size() == 18u);
  BOOST_TEST(data.train.documents()[3].name == "03.txt");
  BOOST_TEST(data.valid.documents()[0].name == "18.txt");
  BOOST_TEST(data.test.documents()[0].name == "19.txt");
  BOOST_TEST(data.all.documents().size() == 20u);
  BOOST_TEST(data.hidden == 2);
  BOOST_TEST(data.binary == 1);
  BOOST_TEST(data.summary() ==
             "20 documents, 2000 bytes: train 1800, valid 100, test 100; left out: 1 binary, 2 hidden");
}

BOOST_AUTO_TEST_CASE(splits_end_between_documents_if_that_is_near) {
  const Folder folder;
  for (const long first : {885L, 915L, 500L}) {
    write_file(folder / "t/a", counting(first));
    write_file(folder / "t/b", counting(1000 - first));
    const ByteData data = ByteData::open(folder / "t");
    BOOST_TEST(data.train.size() == (first == 500 ? 900 : first));
    BOOST_TEST(data.valid.size() == 950 - data.train.size());
  }
  BOOST_TEST(ByteData::open(folder / "t").summary() == "2 documents, 1000 bytes: train 900, valid 50, test 50");
}

BOOST_AUTO_TEST_CASE(several_paths_are_one_data_set) {
  const Folder folder;
  write_file(folder / "a", counting(100));
  write_file(folder / "t/b", counting(100));
  const ByteData data = ByteData::open(std::vector<std::string>{folder / "a", folder / "t"});
  BOOST_TEST(data.size == 200);
  BOOST_TEST(data.train.documents().size() == 2u);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_learned_is_told) {
  const Folder folder;
  BOOST_TEST(open_error(folder / "a") ==
             "byte_data: cannot read " + (folder / "a") + ": No such file or directory; check the path");
  write_file(folder / "a", "");
  BOOST_TEST(open_error(folder / "a") == "byte_data: " + (folder / "a") + " is empty; there is nothing to learn");
  write_file(folder / "a", "ab");
  BOOST_TEST(open_error(folder / "a") ==
             "byte_data: " + (folder / "a") + " has 2 bytes; train, valid and test need at least one each");
  write_file(folder / "t/x.bin", std::string(9, '\0'));
  write_file(folder / "t/.x", "text");
  write_file(folder / "t/empty", "");
  BOOST_TEST(open_error(folder / "t") == "byte_data: there is no text in the folder " + (folder / "t") +
                                             ": of 2 files 1 are binary and the others are empty (1 hidden ones do not "
                                             "count)");
  write_file(folder / "a", counting(100));
  const ByteData data = ByteData::open(folder / "a");
  data.check_context(89);
  BOOST_TEST(
      error_of([&] { data.check_context(128); }) ==
      "byte_data: the data has 100 bytes (train 90, valid 5, test 5); a context of 128 needs 129 in train and 2 in "
      "the others, about 145 in all. Give more data or a shorter context");
}

BOOST_AUTO_TEST_CASE(the_first_bytes_of_a_split_are_a_split) {
  const std::vector<std::string> texts = {"abc", "def"};
  BOOST_TEST(text_of(split_of(texts).first(4)) == "abcd");
  BOOST_TEST(split_of(texts).first(3).documents().size() == 1u);
  BOOST_TEST(text_of(split_of(texts).first(100)) == "abcdef");
  BOOST_TEST(split_of(texts).first(0).size() == 0);
}

BOOST_AUTO_TEST_CASE(entropy_is_that_of_the_frequencies) {
  std::string all;
  for (int i = 0; i < 256; i++) all += char(i);
  const std::vector<std::string> texts = {all, all};
  BOOST_TEST(split_of(texts).entropy() == 8, boost::test_tools::tolerance(1e-12));
  const std::vector<std::string> coins = {"aaab"};
  BOOST_TEST(split_of(coins).entropy() == 2 - 0.75 * std::log2(3.0), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()
