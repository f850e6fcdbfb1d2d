#include "system/write_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "system/error.h"

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

constexpr const char* kTemporary = ".tmp-";  // PATH.tmp-PROCESS-NUMBER

// A new file beside the given one: `name` becomes its name. Its lock tells others that its writer lives.
int open_beside(const std::string& path, std::string& name) {
  HEED_CHECK(!path.empty(), "write_file", "the path is empty; give the name of the file to write");
  if (std::error_code none; std::filesystem::is_directory(path, none)) fail_to_write(path, EISDIR);
  create_folders_above(path);
  static std::atomic<int> number = 0;  // two threads may write the same file: the last one wins, whole
  name = path + kTemporary + std::to_string(::getpid()) + "-" + std::to_string(number++);
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(path, errno);
  ::flock(file, LOCK_EX | LOCK_NB);  // where there are no locks, the file may be removed as if its writer were dead
  return file;
}

// These return 0 or the errno of what went wrong.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(size_t(written));
  }
  return 0;
}

int sync(int file) { return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno; }  // some cannot

// The name of a file is in its folder: it is on the disk when the folder is.
int sync_folder_above(const std::string& path) {
  const auto above = std::filesystem::path(path).parent_path();
  const int folder = ::open(above.empty() ? "." : above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;  // one that may be written, but not read
  const int reason = sync(folder);
  ::close(folder);
  return reason;
}

bool is_temporary(const std::string& name) {
  const size_t at = name.rfind(kTemporary);
  return at != std::string::npos && name.find_first_not_of("0123456789-", at + 5) == std::string::npos;
}

// Removes the file unless its writer holds the lock.
bool remove_if_stale(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  const bool stale = ::flock(file, LOCK_EX | LOCK_NB) == 0 && ::unlink(path.c_str()) == 0;
  ::close(file);
  return stale;
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : path_(path), file_(open_beside(path, temporary_)) {}

FileWriter::~FileWriter() {
  if (file_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(file_);
}

void FileWriter::give_up(int reason) {
  ::unlink(temporary_.c_str());
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  fail_to_write(path_, reason);
}

void FileWriter::write(std::string_view bytes) {
  HEED_CHECK(file_ >= 0, "write_file", "the writer of ", path_, " has finished; nothing can be added");
  if (const int reason = write_all(file_, bytes)) give_up(reason);
}

void FileWriter::finish() {
  HEED_CHECK(file_ >= 0, "write_file", "the writer of ", path_, " has finished already");
  if (const int reason = sync(file_)) give_up(reason);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) give_up(errno);
  const int closed = std::exchange(file_, -1);
  if (::close(closed) != 0) fail_to_write(path_, errno);
  if (const int reason = sync_folder_above(path_)) fail_to_write(path_, reason);
}

void write_file(const std::string& path, std::string_view bytes) {
  FileWriter file(path);
  file.write(bytes);
  file.finish();
}

void append_to_file(const std::string& path, std::string_view bytes) {
  create_folders_above(path);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(path, errno);
  const int reason = write_all(file, bytes);
  ::close(file);
  if (reason) fail_to_write(path, reason);
}

void check_writable(const std::string& path) { FileWriter file(path); }

TemporaryFile::TemporaryFile(const std::string& path) : file_(open_beside(path, path_)) {}

TemporaryFile::~TemporaryFile() {
  ::unlink(path_.c_str());  // nothing, if it was renamed
  ::close(file_);
}

int remove_stale_temporaries(const std::string& folder, const std::string& prefix) {
  int removed = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (const std::string name = entry.path().filename().string(); name.starts_with(prefix) && is_temporary(name))
      removed += remove_if_stale(entry.path());
  return removed;
}

}  // namespace heed
