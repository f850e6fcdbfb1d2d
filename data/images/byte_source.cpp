#include "data/images/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "system/error.h"
#include "system/file_bytes.h"

namespace heed {

struct ByteSource::Gzip {
  z_stream stream = {};
  bool ended = false;
  Gzip() { inflateInit2(&stream, 15 + 16); }  // 32 KB of memory, and a gzip header
  ~Gzip() { inflateEnd(&stream); }
};

ByteSource::ByteSource(const char* op, const std::string& path)
    : op_(op), path_(path), file_(std::make_unique<FileBytes>(op, path)) {
  if (file_->bytes().starts_with("\x1f\x8b")) gzip_ = std::make_unique<Gzip>();
}

ByteSource::~ByteSource() = default;

size_t ByteSource::read(uint8_t* to, size_t n) {
  if (gzip_) return unpack(to, n);
  const size_t count = std::min(n, file_->bytes().size() - at_);
  if (count) std::memcpy(to, file_->data() + at_, count);
  at_ += count;
  return count;
}

size_t ByteSource::unpack(uint8_t* to, size_t n) {
  constexpr size_t kPiece = 1 << 20;  // zlib counts in 32 bits
  z_stream& z = gzip_->stream;
  size_t done = 0;
  while (done < n && !gzip_->ended) {
    const size_t room = std::min(n - done, kPiece), left = std::min(file_->bytes().size() - at_, kPiece);
    z.next_in = const_cast<Bytef*>(file_->data() + at_), z.avail_in = uInt(left);
    z.next_out = to + done, z.avail_out = uInt(room);
    const int code = inflate(&z, Z_NO_FLUSH);
    at_ += left - z.avail_in;
    done += room - z.avail_out;
    HEED_CHECK(code == Z_OK || code == Z_STREAM_END || (code == Z_BUF_ERROR && left == 0), op_, path_,
               " is damaged: its gzip data is wrong at byte ", at_, z.msg ? std::string(" (") + z.msg + ")" : "");
    HEED_CHECK(code == Z_STREAM_END || left > 0 || z.avail_out == 0, op_, path_,
               " is cut off: its gzip data has no end at byte ", at_);
    gzip_->ended = code == Z_STREAM_END;
  }
  return done;
}

}  // namespace heed
