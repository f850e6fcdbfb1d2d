#include "system/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "system/error.h"
#include "system/mapped_files.h"

namespace heed {
namespace {

constexpr long kMapFrom = 1 << 20;  // bytes; a process may have some 65,000 maps

[[noreturn]] void fail_to_read(const char* op, const std::string& path, int reason) {
  const char* hint = reason == ENOENT   ? "; check the path"
                     : reason == EACCES ? "; you need the right to read it"
                     : reason == EISDIR ? "; give the name of a file"
                                        : "";
  fail(op, "cannot read ", path, ": ", std::strerror(reason), hint);
}

struct Opened {
  int file;
  long size;
};

// Throws unless it is a regular file. O_NONBLOCK: a pipe does not let us wait for its other end.
Opened open_to_read(const char* op, const std::string& path) {
  HEED_CHECK(!path.empty(), op, "the path is empty; give the name of the file to read");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail_to_read(op, path, errno);
  struct stat about {};
  const int reason = ::fstat(file, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
  const bool regular = S_ISREG(about.st_mode);
  if (reason || !regular) ::close(file);
  if (reason) fail_to_read(op, path, reason);
  HEED_CHECK(regular, op, "cannot read ", path, ": it is a device or a pipe, not a file");
  return {file, long(about.st_size)};
}

// Returns 0 or the errno of what went wrong. A file that became shorter in the meantime makes the text shorter.
int read_all(int file, std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(file, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    done += size_t(got);
  }
  text.resize(done);
  return 0;
}

}  // namespace

FileBytes::FileBytes(const char* op, const std::string& path) {
  const auto [file, size] = open_to_read(op, path);
  int reason = 0;
  if (size >= kMapFrom) {
    map_ = std::make_unique<MappedFile>(file, size_t(size), path);
    if (!map_->data()) reason = errno;
    if (!reason) bytes_ = {map_->data(), size_t(size)};
  } else {
    copy_.resize(size_t(size));
    reason = read_all(file, copy_);
    bytes_ = copy_;
  }
  ::close(file);
  if (reason) fail_to_read(op, path, reason);
}

FileBytes::~FileBytes() = default;

}  // namespace heed
