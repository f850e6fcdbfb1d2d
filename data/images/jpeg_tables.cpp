#include "data/images/jpeg_tables.h"

#include <algorithm>
#include <cstdint>

namespace heed {
namespace {

constexpr size_t kCodes = 256;
enum Marker : uint8_t { kTables = 0xc4, kImage = 0xd8, kEnd = 0xd9, kScan = 0xda };

// Bytes that are 0 behind the end, as stb_image reads them.
class Bytes {
 public:
  explicit Bytes(std::string_view file) : file_(file) {}
  size_t size() const { return file_.size(); }
  uint8_t operator[](size_t at) const { return at < file_.size() ? uint8_t(file_[at]) : 0; }
  size_t length(size_t at) const { return size_t((*this)[at]) << 8 | (*this)[at + 1]; }  // of a segment, and its own 2

 private:
  std::string_view file_;
};

// A segment of tables whose length stands at `at`: a byte, 16 counts of codes, and the codes, again and again.
bool oversized(const Bytes& bytes, size_t at) {
  const size_t end = at + bytes.length(at);
  for (size_t table = at + 2; table < end;) {
    size_t codes = 0;
    for (size_t i = 1; i <= 16; i++) codes += bytes[table + i];
    if (codes > kCodes) return true;
    table += 17 + codes;
  }
  return false;
}

// Markers that have a length behind them: frames, tables, restarts, applications, comments
bool has_length(uint8_t marker) {
  return (marker >= 0xc0 && marker <= 0xc4) || marker == 0xdb || marker == 0xdd || marker >= 0xe0;
}

}  // namespace

std::optional<size_t> guarded_jpeg_bytes(std::string_view file) {
  const Bytes bytes(file);
  if (bytes[0] != 0xff) return file.size();
  bool skips = true, scanned = false;  // segments may hold anything; behind the first scan every marker counts
  size_t segment_end = 0;              // of the segments behind a scan: a marker inside of one does not end the picture
  for (size_t at = 0; at < bytes.size();) {
    if (bytes[at++] != 0xff) continue;
    while (bytes[at] == 0xff) at++;
    const uint8_t marker = bytes[at++];
    if (marker == kTables && oversized(bytes, at)) return {};
    if (marker == kEnd && scanned && at > segment_end) return std::min(at, file.size());
    if (marker == kScan) skips = false, scanned = true;
    if (skips && has_length(marker))
      at += bytes.length(at);
    else if (marker != kImage)
      skips = false;  // stb_image reads no further, or scans begin
    if (scanned && has_length(marker)) segment_end = std::max(segment_end, at + bytes.length(at));
  }
  return file.size();
}

}  // namespace heed
