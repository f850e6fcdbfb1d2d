// Files that are mapped into memory and become shorter while somebody reads them. The system answers a read behind the
// new end by SIGBUS, which ends a process; here such a read finds zeros, and whoever reads asks afterwards:
//
//   const Batch batch = draw();
//   check_files();  // throws FileShrunk: the batch is not what it seems
//
// Large files of system/file_bytes.h are mapped in this way.
#pragma once

#include <cstddef>
#include <string>

#include "system/error.h"

namespace heed {

class FileShrunk : public Error {
  using Error::Error;
};

// A map of an open file, which lives as long as this object. Throws nothing: data() is null if the system refuses, and
// errno says why. From then on SIGBUS inside of a map is ours; elsewhere it does what it did before.
class MappedFile {
 public:
  MappedFile(int file, size_t size, const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  size_t size() const { return size_; }
  bool shrunk() const;  // has somebody read behind its new end?
  const std::string& path() const { return path_; }

 private:
  char* data_ = nullptr;
  size_t size_;
  std::string path_;
  struct Watched* watched_ = nullptr;
};

void check_files();  // throws FileShrunk if one that is mapped now became shorter, and names it

}  // namespace heed
