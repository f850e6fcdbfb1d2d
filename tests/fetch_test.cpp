// Fetching data sets, from file:// addresses: no network is needed.
#include "train/fetch.h"

#include <zlib.h>

#include <cstdlib>

#include "tests/close.h"
#include "tests/folder.h"
#include "train/write_file.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(fetch_test)

namespace {

// A zip file without compression (method 0) that holds one file.
std::string zip_of(const std::string& name, const std::string& bytes) {
  const auto number = [](uint32_t value, int size) {
    std::string out;
    for (int i = 0; i < size; i++, value >>= 8) out += char(value);
    return out;
  };
  const auto crc = uint32_t(crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  const auto size = uint32_t(bytes.size());
  const std::string about = number(10, 2) + number(0, 8) + number(crc, 4) + number(size, 4) + number(size, 4) +
                            number(uint32_t(name.size()), 2) + number(0, 2);
  const std::string local = "PK\x03\x04" + about + name + bytes;
  const std::string central = "PK\x01\x02" + number(10, 2) + about + number(0, 14) + name;
  return local + central + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(uint32_t(central.size()), 4) + number(uint32_t(local.size()), 4) + number(0, 2);
}

struct Fetched {
  std::string error, said;
};

Fetched fetch(const Folder& folder, const std::string& name, FetchOptions options = {}) {
  Fetched result;
  options.base_url = "file://" + (folder / "server");
  const auto say = [&](const std::string& text) { result.said += text + "\n"; };
  result.error = error_of([&] { fetch_data(name, folder / "data", say, options); });
  return result;
}

bool have(const char* program) {
  return std::system((std::string("command -v ") + program + " >/dev/null").c_str()) == 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_small_file_in_the_zip_is_not_enwik8) {
  if (!have("curl") || !have("unzip")) {
    BOOST_TEST_MESSAGE("skipped: needs curl and unzip");
    return;
  }
  const Folder folder;
  write_file(folder / "server/enwik8.zip", zip_of("enwik8", "<mediawiki>"));
  const std::string url = "file://" + (folder / "server/enwik8.zip");
  const Fetched got = fetch(folder, "enwik8");
  BOOST_TEST(got.error == "fetch: what " + url + " holds is not enwik8: it has 11 bytes, not 100000000. By hand: get " +
                              url + " on any machine, unpack it, and put the file enwik8 at " +
                              (folder / "data/enwik8"));
  BOOST_TEST(got.said == "downloading " + url + " (about 35 MB)\nunpacking and checking 100 MB\n");
  BOOST_TEST(std::filesystem::is_empty(folder / "data"));  // nothing stays behind
  write_file(folder / "server/text8.zip", zip_of("something else", "abc"));
  BOOST_TEST(fetch(folder, "text8").error.find("is not a zip file with text8 in it (") != std::string::npos);
  write_file(folder / "server/text8.zip", "<html>404</html>");
  BOOST_TEST(fetch(folder, "text8").error.find("is not a zip file with text8 in it (") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_right_file_arrives_and_nothing_else) {
  if (!have("curl") || !have("unzip")) {
    BOOST_TEST_MESSAGE("skipped: needs curl and unzip");
    return;
  }
  const Folder folder;
  write_file(folder / "server/text8.zip", zip_of("text8", std::string(100'000'000, 'a')));
  std::string said;
  const auto say = [&](const std::string& line) { said = line; };
  const std::string path = fetch_data("text8", folder / "data", say, {.base_url = "file://" + (folder / "server")});
  BOOST_TEST(path == (folder / "data/text8"));
  BOOST_TEST(said == path + " is there, and it is right");
  BOOST_TEST(std::filesystem::file_size(path) == 100'000'000u);
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(folder / "data"), {}) == 1);
}

BOOST_AUTO_TEST_CASE(without_a_network_it_says_what_to_do) {
  const Folder folder;
  const std::string error = fetch(folder, "text8").error;  // there is no server folder
  BOOST_TEST(error.starts_with(have("curl") ? "fetch: cannot download file://" : "fetch: cannot run curl"));
  BOOST_TEST(error.ends_with("/server/text8.zip on any machine, unpack it, and put the file text8 at " +
                             (folder / "data/text8")));
}

BOOST_AUTO_TEST_CASE(missing_programs_are_named) {
  const Folder folder;
  write_file(folder / "server/text8.zip", zip_of("text8", "abc"));
  BOOST_TEST(fetch(folder, "text8", {.curl = "no-curl"})
                 .error.starts_with(
                     "fetch: cannot run no-curl (No such file or directory); install it. By hand: get file://"));
  if (have("curl"))
    BOOST_TEST(fetch(folder, "text8", {.unzip = "no-unzip"}).error.starts_with("fetch: cannot run no-unzip ("));
}

BOOST_AUTO_TEST_CASE(a_wrong_file_in_its_place_is_not_overwritten) {
  const Folder folder;
  write_file(folder / "data/enwik8", "mine");
  BOOST_TEST(fetch(folder, "enwik8").error ==
             "fetch: " + (folder / "data/enwik8") +
                 " is there, but it is not enwik8: it has 4 bytes, not 100000000. Move "
                 "it away, or choose another folder");
  BOOST_TEST(read_file(folder / "data/enwik8") == "mine");
}

BOOST_AUTO_TEST_CASE(text8_is_told_by_its_alphabet) {
  const Folder folder;
  std::string text(100'000'000, 'a');
  text[7] = ' ';
  write_file(folder / "data/text8", text);
  std::string said;
  BOOST_TEST(fetch_data("text8", folder / "data", [&](const std::string& line) { said += line; }) ==
             (folder / "data/text8"));
  BOOST_TEST(said == (folder / "data/text8") + " is there already, and it is right");
  text[99'999'999] = 'A';
  write_file(folder / "data/text8", text);
  BOOST_TEST(fetch(folder, "text8").error.find("its byte 99999999 is neither a-z nor a blank") != std::string::npos);
  write_file(folder / "data/enwik8", text);
  BOOST_TEST(fetch(folder, "enwik8").error.find("is not enwik8: its SHA-256 is ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_names_and_places_that_are_no_folder_are_errors) {
  const Folder folder;
  BOOST_TEST(fetch(folder, "enwiki8").error ==
             "fetch: there is no data set 'enwiki8'; there are enwik8, text8. Did you mean enwik8?");
  write_file(folder / "data", "a file");
  BOOST_TEST(fetch(folder, "text8").error.find("a part of its path is a file, not a folder") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
