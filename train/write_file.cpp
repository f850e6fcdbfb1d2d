#include "train/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tensor/error.h"

namespace heed {
namespace {

[[noreturn]] void fail_to_write(const std::string& path, int reason) {
  const char* hint = reason == ENOSPC || reason == EDQUOT      ? "; make room there or choose another place"
                     : reason == EACCES || reason == EROFS     ? "; choose a folder that you may write to"
                     : reason == ENOTDIR || reason == EEXIST   ? "; a part of its path is a file, not a folder"
                     : reason == EISDIR || reason == ENOTEMPTY ? "; there is a folder of this name"
                                                               : "";
  fail("write_file", "cannot write ", path, ": ", std::strerror(reason), hint);
}

void create_folders_above(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code reason;
  if (!folder.empty()) std::filesystem::create_directories(folder, reason);
  if (reason) fail_to_write(path, reason.value());
}

struct Temporary {
  std::string path;
  int file;  // a descriptor to write to
};

// A new file beside the given one.
Temporary open_beside(const std::string& path) {
  HEED_CHECK(!path.empty(), "write_file", "the path is empty; give the name of the file to write");
  if (std::error_code none; std::filesystem::is_directory(path, none)) fail_to_write(path, EISDIR);
  create_folders_above(path);
  static std::atomic<int> number = 0;  // two threads may write the same file: the last one wins, whole
  const std::string name = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(path, errno);
  return {name, file};
}

// Returns 0 or the errno of what went wrong.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(size_t(written));
  }
  return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;  // some file systems cannot sync
}

}  // namespace

void write_file(const std::string& path, std::string_view bytes) {
  const Temporary temporary = open_beside(path);
  int reason = write_all(temporary.file, bytes);
  if (::close(temporary.file) != 0 && reason == 0) reason = errno;
  if (reason == 0 && ::rename(temporary.path.c_str(), path.c_str()) != 0) reason = errno;
  if (reason == 0) return;
  ::unlink(temporary.path.c_str());
  fail_to_write(path, reason);
}

void check_writable(const std::string& path) {
  const Temporary temporary = open_beside(path);
  ::close(temporary.file);
  ::unlink(temporary.path.c_str());
}

}  // namespace heed
