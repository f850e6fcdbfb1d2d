// ByteSource: a file that is read from front to back, unpacked on the way if it is gzip. Never more of it is in memory
// than was asked for, whatever its header claims.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace heed {

class ByteSource {
 public:
  // Throws if it cannot be read: "idx: cannot read ...".
  ByteSource(const char* op, const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills `to` with the next bytes and returns how many: fewer than n only at the end. Throws for gzip data that is
  // damaged or cut off, with the byte of the file.
  size_t read(uint8_t* to, size_t n);

 private:
  struct Gzip;
  size_t unpack(uint8_t* to, size_t n);

  const char* op_;
  std::string path_;
  std::unique_ptr<class FileBytes> file_;
  size_t at_ = 0;               // of a plain file
  std::unique_ptr<Gzip> gzip_;  // null: it is plain
};

}  // namespace heed
