// Writing piece by piece, and the temporary files of writers that were killed. More in picture_test.cpp.
#include "system/write_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "system/file_bytes.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(write_file_test)

BOOST_AUTO_TEST_CASE(pieces_become_a_file_when_they_are_finished) {
  const Folder folder;
  write_file(folder / "a", "old");
  {
    FileWriter file(folder / "a");
    file.write("one ");
    file.write("");
    file.write("two");
    BOOST_TEST(read_file(folder / "a") == "old");
    file.finish();
    BOOST_TEST(read_file(folder / "a") == "one two");
    BOOST_TEST(error_of([&] { file.write("x"); }) ==
               "write_file: the writer of " + (folder / "a") + " has finished; nothing can be added");
  }
  { FileWriter(folder / "a").write("not finished"); }
  BOOST_TEST(read_file(folder / "a") == "one two");
  BOOST_TEST(folder.files() == 1);
}

BOOST_AUTO_TEST_CASE(appending_adds_to_the_end) {
  const Folder folder;
  append_to_file(folder / "new/a", "one\n");
  append_to_file(folder / "new/a", "");
  append_to_file(folder / "new/a", "two\n");
  BOOST_TEST(read_file(folder / "new/a") == "one\ntwo\n");
  BOOST_TEST(error_of([&] { append_to_file(folder / "new", "x"); }) ==
             "write_file: cannot write " + (folder / "new") + ": Is a directory; there is a folder of this name");
}

BOOST_AUTO_TEST_CASE(temporary_files_of_killed_writers_are_removed_and_others_stay) {
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    FileWriter file(folder / "a");
    file.write("half");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_REQUIRE(WIFSIGNALED(status));
  BOOST_TEST(folder.files() == 1);  // what the child left
  FileWriter living(folder / "b");
  write_file(folder / "a.tmp-notes", "mine");
  BOOST_TEST(remove_stale_temporaries(folder.path.string()) == 1);
  living.write("whole");
  living.finish();
  BOOST_TEST(read_file(folder / "b") == "whole");
  BOOST_TEST(folder.files() == 2);
  BOOST_TEST(remove_stale_temporaries(folder / "nowhere") == 0);
}

BOOST_AUTO_TEST_CASE(small_files_and_mapped_ones_are_read) {
  const Folder folder;
  for (const size_t size : {0ul, 1ul, 100'000ul, 3'000'001ul}) {
    std::string text;
    for (size_t i = 0; i < size; i++) text += char(i * 31 >> 3);
    write_file(folder / "a", text);
    const FileBytes file("test", folder / "a");
    BOOST_TEST((file.bytes() == text));
    BOOST_TEST(file.size() == long(size));
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_named) {
  const Folder folder;
  const auto error = [](const std::string& path) { return error_of([&] { FileBytes("test", path); }); };
  BOOST_TEST(error(folder / "a") ==
             "test: cannot read " + (folder / "a") + ": No such file or directory; check the path");
  BOOST_TEST(error(folder.path.string()).ends_with(": Is a directory; give the name of a file"));
  BOOST_TEST(error("/dev/null") == "test: cannot read /dev/null: it is a device or a pipe, not a file");
  BOOST_TEST(error("") == "test: the path is empty; give the name of the file to read");
  write_file(folder / "locked", "x");
  std::filesystem::permissions(folder / "locked", std::filesystem::perms::none);
  std::filesystem::permissions(folder.path, std::filesystem::perms::all);
  const bool root = ::geteuid() == 0;  // root may read everything, so somebody else tries
  constexpr uid_t kNobody = 65534;
  if (root) BOOST_REQUIRE(::seteuid(kNobody) == 0);
  const std::string locked = error(folder / "locked");
  if (root) BOOST_REQUIRE(::seteuid(0) == 0);
  BOOST_TEST(locked.ends_with(": Permission denied; you need the right to read it"));
}

BOOST_AUTO_TEST_SUITE_END()
