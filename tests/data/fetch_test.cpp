// Fetching data sets, from file:// addresses: no network is needed.
#include "data/fetch.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>

#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

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

// A new terminal is stderr while it lives.
struct Terminal {
  int before = ::dup(STDERR_FILENO), master = ::posix_openpt(O_RDWR | O_NOCTTY);
  Terminal() {
    BOOST_REQUIRE((master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0));
    const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
    BOOST_REQUIRE(::dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
    ::close(terminal);
  }
  ~Terminal() { ::dup2(before, STDERR_FILENO), ::close(before), ::close(master); }
};

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

BOOST_AUTO_TEST_CASE(curl_is_told_to_give_up_and_shows_how_far_it_is_on_a_terminal) {
  const Folder folder;
  const std::string curl = folder / "curl", words = folder / "words";
  write_file(curl, "#!/bin/sh\necho \"$@\" > " + words + "\necho 'the reason' >&2\nexit 28\n");
  std::filesystem::permissions(curl, std::filesystem::perms::owner_all);
  const auto has = [&](const char* part) { return read_file(words).find(part) != std::string::npos; };
  std::string error;
  {
    const Terminal terminal;
    error = fetch(folder, "text8", {.curl = curl}).error;
  }
  BOOST_TEST(error.find("/server/text8.zip (it said why)") != std::string::npos, error);
  BOOST_TEST((has("--progress-bar") && !has("--silent")));
  BOOST_TEST(has("--speed-limit 1000 --speed-time 60"));
  const int before = ::dup(STDERR_FILENO), none = ::open("/dev/null", O_WRONLY);
  ::dup2(none, STDERR_FILENO);
  error = fetch(folder, "text8", {.curl = curl}).error;
  ::dup2(before, STDERR_FILENO), ::close(before), ::close(none);
  BOOST_TEST(error.find("/server/text8.zip (the reason)") != std::string::npos, error);
  BOOST_TEST((has("--silent") && !has("--progress-bar")));
}

BOOST_AUTO_TEST_CASE(what_a_killed_fetch_left_is_removed) {
  const Folder folder;
  for (const char* name : {"text8.zip.tmp-12-0", "text8.tmp-12-1", "text8.log.tmp-12-2", "other.tmp-12"})
    write_file(folder / "data" + ("/" + std::string(name)), "half");
  const TemporaryFile living(folder / "data/text8.zip");  // of another fetch
  fetch(folder, "text8");                                 // there is no server folder
  BOOST_TEST(std::filesystem::exists(living.path()));
  BOOST_TEST(std::filesystem::exists(folder / "data/other.tmp-12"));  // not ours
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(folder / "data"), {}) == 2);
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
