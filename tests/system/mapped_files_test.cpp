// Files that become shorter while they are mapped.
#include "system/mapped_files.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "system/file_bytes.h"
#include "system/parallel.h"
#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(mapped_files_test)

namespace {

constexpr long kBytes = 4 << 20;  // enough to be mapped

long zeros_in(std::string_view bytes) { return std::count(bytes.begin(), bytes.end(), '\0'); }

}  // namespace

BOOST_AUTO_TEST_CASE(behind_the_new_end_there_are_zeros_and_a_check_tells) {
  const Folder folder;
  const std::string path = folder / "a", other = folder / "b";
  write_file(path, std::string(kBytes, 'x'));
  write_file(other, std::string(kBytes, 'x'));
  const FileBytes whole("test", other);
  {
    const FileBytes file("test", path);
    BOOST_TEST(zeros_in(file.bytes()) == 0);
    check_files();
    std::filesystem::resize_file(path, kBytes / 4);
    check_files();  // nobody has read there yet
    BOOST_TEST(zeros_in(file.bytes()) == kBytes / 4 * 3);
    BOOST_CHECK_THROW(check_files(), FileShrunk);
    BOOST_TEST(error_of(check_files).starts_with("read: " + path + " became shorter while it was read: "));
    BOOST_TEST(zeros_in(whole.bytes()) == 0);
  }
  check_files();  // it is not mapped any more
}

BOOST_AUTO_TEST_CASE(workers_read_zeros_too) {
  const Folder folder;
  const std::string path = folder / "a";
  write_file(path, std::string(kBytes, 'x'));
  const FileBytes file("test", path);
  std::filesystem::resize_file(path, 0);
  std::vector<long> zeros(64);
  parallel_for(64, 1, [&](long begin, long) {
    zeros[size_t(begin)] = zeros_in(file.bytes().substr(size_t(begin * kBytes / 64), kBytes / 64));
  });
  for (const long count : zeros) BOOST_TEST(count == kBytes / 64);
  BOOST_CHECK_THROW(check_files(), FileShrunk);
}

BOOST_AUTO_TEST_CASE(a_fault_elsewhere_is_nobodys_but_the_systems) {
  const Folder folder;
  write_file(folder / "a", std::string(kBytes, 'x'));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGBUS, SIG_DFL);
    const FileBytes file("test", folder / "a");
    ::raise(SIGBUS);
    ::raise(SIGBUS);
    ::_exit(0);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST((WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS));
}

BOOST_AUTO_TEST_SUITE_END()
