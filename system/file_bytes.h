// FileBytes: the bytes of a file, to read. A large file is memory-mapped, so that only what is used comes from the
// disk; a small one is copied, so that nobody's editor changes it under our hands. What happens to a map whose file
// becomes shorter is told in system/mapped_files.h.
//
//   const FileBytes file("byte_data", "data/enwik8");
//   file.bytes().substr(0, 4)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace heed {

class FileBytes {
 public:
  // Throws if it is missing, a folder or may not be read: "byte_data: cannot read data/enwik8: ...".
  FileBytes(const char* op, const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::string_view bytes() const { return bytes_; }
  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(bytes_.data()); }
  long size() const { return long(bytes_.size()); }

 private:
  std::string copy_;
  std::unique_ptr<class MappedFile> map_;
  std::string_view bytes_;  // of the copy or of the map
};

}  // namespace heed
