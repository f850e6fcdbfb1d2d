// The safetensors format: what we write, what Python writes, and files that are not what they should be.
#include "train/safetensors.h"

#include <zlib.h>

#include <cstdlib>

#include "system/text.h"
#include "system/write_file.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/on_threads.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(safetensors_test)

namespace {

Safetensors example() {
  const Tensor weight = transpose(tensor({0, 0.25, 0.5, 0.75, 1, 1.25}, {3, 2}));  // strided
  return {.metadata = {{"settings", "{\"data\": \"ä\n\"}"}},
          .tensors = {{"byte", tensor({1, 2, 255}, u8)},
                      {"blocks.0.weight", weight},
                      {"truth", tensor({1, 0}, boolean)},
                      {"none", zeros({0, 4})},
                      {"half", tensor({0.5, -2}, f16)},
                      {"step", scalar(-5, i64)}}};
}

// A file with this header text and this many bytes of elements.
std::string file_with(const std::string& header, size_t bytes) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(bytes, '\0');
}

std::string error_for(const std::string& file) {
  return error_of([&] { parse_safetensors_header(file, "it"); });
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& place, size_t bytes = 8) {
  return error_for(
      file_with(R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + place + "}}", bytes));
}

// Exit code of tests/golden/tensors.py, or -1 if HEED_PYTHON does not name a python with safetensors.
int python(const std::string& what, const std::string& path) {
  const char* program = std::getenv("HEED_PYTHON");
  if (!program) return -1;
  return std::system(("'" + std::string(program) + "' tests/golden/tensors.py " + what + " '" + path + "'").c_str());
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const Folder folder;
  write_safetensors(folder / "new/a.safetensors", example());
  const Safetensors file = read_safetensors(folder / "new/a.safetensors");
  BOOST_TEST(file.metadata.at("settings") == "{\"data\": \"ä\n\"}");
  BOOST_TEST(file.tensors.size() == 6u);
  for (const auto& [name, value] : example().tensors) {
    BOOST_TEST((file.at(name).dtype() == value.dtype()), name);
    BOOST_TEST(file.at(name).shape() == value.shape());
    BOOST_TEST(file.at(name).str() == clone(value).str());
  }
}

BOOST_AUTO_TEST_CASE(the_same_tensors_make_the_same_bytes_and_wide_types_come_first) {
  const Folder folder;
  write_safetensors(folder / "a", example());
  write_safetensors(folder / "b", read_safetensors(folder / "a"));
  BOOST_TEST(read_file(folder / "a") == read_file(folder / "b"));
  const SafetensorsHeader header = read_safetensors_header(folder / "a");
  std::string order;
  for (const auto& entry : header.tensors) {
    order += entry.name + " ";
    BOOST_TEST(entry.begin % size_of(entry.dtype) == 0);
  }
  BOOST_TEST(order == "step blocks.0.weight none half byte truth ");
  BOOST_TEST(header.tensors[0].begin % 8 == 0);
  BOOST_TEST(header.file_bytes == long(read_file(folder / "a").size()));
}

BOOST_AUTO_TEST_CASE(a_file_without_tensors_is_legal) {
  const Folder folder;
  write_safetensors(folder / "a", {});
  BOOST_TEST(read_safetensors(folder / "a").tensors.empty());
  BOOST_TEST(parse_safetensors_header(file_with("{}", 0), "it").tensors.empty());
}

BOOST_AUTO_TEST_CASE(a_file_from_python_is_read) {
  const Safetensors file = read_safetensors("tests/golden/python.safetensors");
  BOOST_TEST(file.metadata.at("made by") == "Python");
  BOOST_TEST(file.metadata.at("text") == "ä \"quoted\"\n");
  BOOST_TEST((file.at("double").to_vector<double>() == std::vector<double>{0.1, -2.5}));
  BOOST_TEST((file.at("single").shape() == Shape{2, 3}));
  BOOST_TEST((file.at("single").to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4, 5}));
  BOOST_TEST((file.at("half").to_vector<float>() == std::vector<float>{1, -0.5, 65504}));
  BOOST_TEST((file.at("long").to_vector<int64_t>() == std::vector<int64_t>{-(1L << 40)}));
  BOOST_TEST((file.at("int").to_vector<int32_t>() == std::vector<int32_t>{7, -7}));
  BOOST_TEST((file.at("byte").to_vector<int32_t>() == std::vector<int32_t>{0, 128, 255}));
  BOOST_TEST((file.at("truth").to_vector<int32_t>() == std::vector<int32_t>{1, 0, 1}));
  BOOST_TEST((file.at("none").shape() == Shape{0, 4}));
  BOOST_TEST(file.at("scalar").item() == 42);
}

BOOST_AUTO_TEST_CASE(python_reads_our_files) {
  const Folder folder;
  write_safetensors(folder / "a.safetensors", example());
  write_safetensors(folder / "b.safetensors", {.tensors = {{"brain", tensor({1, -2}, bf16)}}});
  const int code = python("check", folder / "a.safetensors");
  if (code < 0) {
    BOOST_TEST_MESSAGE("skipped: HEED_PYTHON names no python with safetensors and numpy");
    return;
  }
  BOOST_TEST(code == 0);
  BOOST_TEST(python("check_bf16", folder / "b.safetensors") == 0);
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_file_is_noticed) {
  const Folder folder;
  write_safetensors(folder / "a", example());
  const std::string whole = read_file(folder / "a");
  for (size_t size = 0; size < whole.size(); size++) {
    const std::string error = error_for(whole.substr(0, size));
    BOOST_TEST((size == 0 ? error == "safetensors: it is empty" : error.starts_with("safetensors: it is cut off")),
               size << ": " << error);
  }
  BOOST_TEST(error_for(whole + "x").find("is damaged: its last tensor ends at byte") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_changed_byte_is_noticed_but_those_of_the_name_of_the_checksum) {
  const Folder folder;
  write_safetensors(folder / "a", example());
  const std::string whole = read_file(folder / "a");
  const size_t name = whole.find("crc32");
  for (size_t i = 0; i < whole.size(); i++) {
    if (i >= name && i < name + 5) continue;
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 0x04);
    write_file(folder / "b", changed);
    const std::string error = error_of([&] { read_safetensors(folder / "b"); });
    BOOST_TEST((error.starts_with("safetensors: ") || error.starts_with("json: ")), i << ": " << error);
  }
}

BOOST_AUTO_TEST_CASE(a_changed_element_is_told_by_the_checksum) {
  const Folder folder;
  write_safetensors(folder / "a", {.tensors = {{"x", zeros({2})}}});
  std::string file = read_file(folder / "a");
  file.back() = 1;
  write_file(folder / "a", file);
  BOOST_TEST(error_of([&] { read_safetensors(folder / "a"); }).find(" is damaged: its checksum of 'x' is ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_checksum_of_a_large_file_is_the_same_for_any_number_of_threads) {
  const Folder folder;
  const Safetensors large{.tensors = {{"x", noise({900'001}, 1, f32)}}};  // more than three pieces of a MB
  on_threads(1, [&] { write_safetensors(folder / "1", large); });
  on_threads(3, [&] { write_safetensors(folder / "3", large); });
  std::string file = read_file(folder / "1");
  BOOST_TEST((file == read_file(folder / "3")));
  on_threads(2, [&] { BOOST_TEST(same_bits(read_safetensors(folder / "1").at("x"), large.at("x"))); });
  // and it is the checksum that any program computes: over the header without it, and the elements
  const size_t header = 8 + size_t(uint8_t(file[0])) + size_t(uint8_t(file[1])) * 256;
  const auto sum_of = [](const std::string& bytes) {
    return format("%08lx", crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  };
  const std::string part = sum_of(file.substr(header));
  BOOST_TEST(read_safetensors_header(folder / "1").metadata.at("crc32_parts") == part);
  BOOST_TEST(read_safetensors_header(folder / "1").metadata.at("crc32") ==
             sum_of("{\"__metadata__\":{\"crc32_parts\":\"" + part +
                    "\"},\"x\":{\"dtype\":\"F32\",\"shape\":[900001],\"data_offsets\":[0,3600004]}}" +
                    file.substr(header)));
  file[header + 2'500'000] ^= 1;
  write_file(folder / "1", file);
  BOOST_TEST(error_of([&] { read_safetensors(folder / "1"); }).find(" is damaged: its checksum of 'x' is ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(of_a_damaged_file_whole_tensors_can_be_read) {
  const Folder folder;
  write_safetensors(folder / "a", {.tensors = {{"x", zeros({2})}, {"y", full({3}, 7)}}});
  std::string file = read_file(folder / "a");
  file.back() = 1;  // of y
  write_file(folder / "a", file);
  const auto read = [&](const std::string& wanted) {
    return read_safetensors(folder / "a", [&](const std::string& name) { return name == wanted; });
  };
  BOOST_TEST(read("x").tensors.size() == 1u);
  BOOST_TEST(error_of([&] { read("y"); }).find(" is damaged: its checksum of 'y' is ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_with_one_checksum_of_all_is_checked_as_a_whole) {
  const Folder folder;
  Safetensors old{.tensors = {{"x", zeros({2})}, {"y", full({3}, 7)}}};
  write_safetensors(folder / "a", old);
  std::string file = read_file(folder / "a");
  const size_t at = file.find("crc32_parts");
  file.replace(at, 11, "crc32_other");  // so its header has changed, and nothing else
  write_file(folder / "a", file);
  BOOST_TEST(error_of([&] { read_safetensors(folder / "a"); }).find(" is damaged: its checksum is ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_what_is_wanted_is_read) {
  const Folder folder;
  write_safetensors(folder / "a", {.tensors = {{"x", zeros({2})}, {"y", full({3}, 7)}}});
  const Safetensors some = read_safetensors(folder / "a", [](const std::string& name) { return name == "y"; });
  BOOST_REQUIRE(some.tensors.size() == 1u);
  BOOST_TEST(some.at("y").at({2}) == 7);
}

BOOST_AUTO_TEST_CASE(foreign_files_are_refused) {
  BOOST_TEST(error_for("PK\x03\x04 some archive of another program") ==
             "safetensors: it is not a safetensors file: its header does not begin with {");
  std::string huge = file_with("{}", 0);
  huge[7] = 0x7f;
  BOOST_TEST(
      error_for(huge) ==
      "safetensors: it is damaged, or not a safetensors file: its header would have 9151314442816847874 bytes; at "
      "most 100000000 are allowed");
  BOOST_TEST(error_for(file_with("{\"a\"", 0)) == "json: the header of it is not JSON; the first error is at byte 5");
  BOOST_TEST(error_of([] { read_safetensors("no/such.safetensors"); }) ==
             "safetensors: cannot read no/such.safetensors: No such file or directory; check the path");
  BOOST_TEST(error_of([] { read_safetensors("tests"); }) ==
             "safetensors: cannot read tests: Is a directory; give the name of a file");
}

BOOST_AUTO_TEST_CASE(headers_that_lie_are_refused) {
  BOOST_TEST(one("F32", "[3]", "[0,8]") == "safetensors: it is damaged: 'a' is f32 of shape (3,) and has 8 bytes");
  BOOST_TEST(one("F32", "[4611686018427387904,4]", "[0,8]").find("has 8 bytes") != std::string::npos);
  BOOST_TEST(one("F32", "[0,4611686018427387904,4]", "[0,8]").find("has 8 bytes") != std::string::npos);
  BOOST_TEST(one("F32", "[-2]", "[0,8]") ==
             "safetensors: it is damaged: the shape of 'a' is [-2]; it must be a list of whole numbers >= 0");
  BOOST_TEST(one("F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]") ==
             "safetensors: 'a' in it has 9 dimensions; heed reads at most 8");
  BOOST_TEST(one("F32", "2", "[0,8]").find("the shape of 'a' is 2; it must be a list") != std::string::npos);
  BOOST_TEST(one("F8_E4M3", "[8]", "[0,8]") ==
             "safetensors: 'a' in it has the dtype \"F8_E4M3\"; heed reads F64, F32, F16, BF16, I64, I32, U8 and BOOL");
  BOOST_TEST(one("F32", "[2]", "[8,0]") ==
             "safetensors: it is damaged: the data_offsets of 'a' are [8,0]; they must be [begin, end]");
  BOOST_TEST(one("F32", "[2]", "[0,9223372036854775807]").find("must be [begin, end]") != std::string::npos);
  BOOST_TEST(one("F32", "[2]", "[4,12]", 12).find("'a' begins at byte ") != std::string::npos);
  BOOST_TEST(error_for(file_with(R"({"a":{"dtype":"F32","shape":[2]}})", 8)) ==
             "safetensors: it is damaged: its header tells no data_offsets of 'a'");
  BOOST_TEST(error_for(file_with(R"({"a":5})", 8)) == "safetensors: it is damaged: its header tells nothing of 'a'");
  BOOST_TEST(error_for(file_with(R"({"__metadata__":{"a":5}})", 0)) ==
             "safetensors: it is damaged: 'a' in its __metadata__ is not a text");
}

BOOST_AUTO_TEST_CASE(overlaps_and_names_that_stand_twice_are_refused) {
  const std::string a = R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  const std::string b = R"("b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]})";
  BOOST_TEST(error_for(file_with("{" + a + "," + b + "}", 6)).find("'b' begins at byte") != std::string::npos);
  BOOST_TEST(error_for(file_with("{" + a + "," + a + "}", 4)) ==
             "json: the header of it has the name \"a\" twice in one object; each may stand there once");
}

BOOST_AUTO_TEST_CASE(a_boolean_is_zero_or_one) {
  const Folder folder;
  std::string file = file_with(R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 2);
  file.back() = 2;
  write_file(folder / "a", file);
  BOOST_TEST(error_of([&] { read_safetensors(folder / "a"); }).find("neither 0 nor 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_a_missing_one_is_explained) {
  const Folder folder;
  const Tensor x = zeros({2});
  BOOST_TEST(error_of([&] {
               write_safetensors(folder / "a", {.tensors = {{"x", x}, {"x", x}}});
             }).find("the name 'x' for") != std::string::npos);
  BOOST_TEST(error_of([&] {
               write_safetensors(folder / "a", {.tensors = {{"x", Tensor()}}});
             }).find("is undefined") != std::string::npos);
  BOOST_TEST(folder.files() == 0);
  BOOST_TEST(error_of([] { example().at("blocks.0.wieght"); }) ==
             "safetensors: there is no tensor 'blocks.0.wieght' among 6. Did you mean 'blocks.0.weight'?");
}

// If reading or writing walked through all names for every name, this would take minutes.
BOOST_AUTO_TEST_CASE(a_file_may_have_very_many_tensors) {
  const Folder folder;
  Safetensors file;
  for (int i = 0; i < 200'000; i++)
    file.tensors.push_back({"a tensor of a long name " + std::to_string(i), zeros({0})});
  write_safetensors(folder / "many", file);
  BOOST_TEST(read_safetensors(folder / "many").tensors.size() == file.tensors.size());
}

BOOST_AUTO_TEST_SUITE_END()
