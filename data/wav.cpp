#include "data/wav.h"

#include <cstring>

#include "system/error.h"
#include "system/write_file.h"

namespace heed {
namespace {

constexpr const char* kOp = "wav";
constexpr uint32_t kPcm = 1, kExtensible = 0xfffe;
constexpr uint32_t kMaxRate = 1'000'000;    // samples per second; what sounds are recorded with is below
constexpr uint32_t kToTheEnd = 0xffffffff;  // the size of a chunk that was written to a pipe

// A little-endian number of 2 or 4 bytes; the caller has checked that they are there.
uint32_t number_at(std::string_view bytes, size_t at, size_t size) {
  uint32_t number = 0;
  for (size_t i = 0; i < size; i++) number |= uint32_t(uint8_t(bytes[at + i])) << (8 * i);
  return number;
}

void append_number(std::string& bytes, uint32_t number, int size) {
  for (int i = 0; i < size; i++) bytes += char(number >> (8 * i));
}

struct Chunks {
  std::string_view format, data;
  bool has_data = false;
};

// RIFF: "RIFF", a size, "WAVE", then chunks: a name of 4 letters, a size, that many bytes, and one more if it is odd.
Chunks chunks_of(std::string_view file, const std::string& path) {
  HEED_CHECK(file.size() >= 12 && file.substr(0, 4) == "RIFF" && file.substr(8, 4) == "WAVE", kOp, path,
             " is not a WAV file: it does not begin with RIFF and WAVE");
  Chunks found;
  for (size_t at = 12; file.size() - at >= 8 && !found.has_data;) {
    const std::string_view name = file.substr(at, 4);
    size_t size = number_at(file, at + 4, 4);
    at += 8;
    if (name == "data" && size == kToTheEnd) size = file.size() - at;
    HEED_CHECK(size <= file.size() - at, kOp, path, " is cut off: its chunk at byte ", at - 8, " has ", size,
               " bytes, and ", file.size() - at, " are left");
    if (name == "fmt ") found.format = file.substr(at, size);
    if (name == "data") found.data = file.substr(at, size), found.has_data = true;
    at = std::min(at + size + size % 2, file.size());
  }
  HEED_CHECK(found.has_data, kOp, path, " is cut off: it has no samples (no data chunk)");
  return found;
}

struct Format {
  uint32_t channels, rate, bits;
};

Format format_of(std::string_view chunk, const std::string& path) {
  HEED_CHECK(chunk.size() >= 16, kOp, path, " does not say its format in front of its samples (a fmt chunk)");
  uint32_t tag = number_at(chunk, 0, 2);
  if (tag == kExtensible && chunk.size() >= 26) tag = number_at(chunk, 24, 2);
  const Format format{number_at(chunk, 2, 2), number_at(chunk, 4, 4), number_at(chunk, 14, 2)};
  HEED_CHECK(tag == kPcm && (format.bits == 8 || format.bits == 16), kOp, path, " has ", format.bits,
             "-bit samples of format ", tag, "; 8 or 16 bits of PCM (format 1) can be read. Convert it: ffmpeg -i ",
             path, " -acodec pcm_u8 -ac 1 new.wav");
  HEED_CHECK(format.channels > 0 && format.rate > 0 && format.rate <= kMaxRate, kOp, path, " is damaged: it has ",
             format.channels, " channels and ", format.rate, " samples per second; 1 to ", kMaxRate, " can be");
  const uint32_t said = number_at(chunk, 8, 4);  // bytes per second; 0: it is not told
  const uint64_t bytes = uint64_t(format.rate) * format.channels * (format.bits / 8);
  HEED_CHECK(said == 0 || said == bytes, kOp, path, " contradicts itself: ", format.rate, " samples per second are ",
             bytes, " bytes per second, and it says ", said, ". Write it anew: ffmpeg -i ", path, " new.wav");
  return format;
}

}  // namespace

Wav parse_wav(std::string_view file, const std::string& path) {
  const Chunks chunks = chunks_of(file, path);
  const Format format = format_of(chunks.format, path);
  const size_t width = format.bits / 8, frame = width * format.channels;
  Wav wav{"", long(format.rate)};
  wav.samples.reserve(chunks.data.size() / frame);
  for (size_t at = 0; at + frame <= chunks.data.size(); at += frame) {
    long sum = 0;  // of the channels, 0..65535 each: signed 16 bits are moved up, 8 bits are the upper half
    for (size_t c = 0; c < format.channels; c++) {
      const uint32_t raw = number_at(chunks.data, at + c * width, width);
      sum += width == 1 ? long(raw) << 8 : long(raw ^ 0x8000);
    }
    wav.samples += char(sum / long(format.channels) >> 8);
  }
  return wav;
}

void write_wav(const std::string& path, std::string_view samples, long sample_rate) {
  HEED_CHECK(sample_rate > 0 && sample_rate <= 0x7fffffff, "write_wav", "the sample rate is ", sample_rate,
             "; it must be 1 to 2147483647 per second");
  HEED_CHECK(samples.size() < 0xffffff00, "write_wav", "there are ", samples.size(),
             " samples; a WAV file holds at most 4294967039");
  std::string header = "RIFF";
  append_number(header, uint32_t(36 + samples.size() + samples.size() % 2), 4);
  header += "WAVEfmt ";
  append_number(header, 16, 4);
  append_number(header, kPcm, 2);
  append_number(header, 1, 2);  // channel
  append_number(header, uint32_t(sample_rate), 4);
  append_number(header, uint32_t(sample_rate), 4);  // bytes per second
  append_number(header, 1, 2);                      // bytes per frame
  append_number(header, 8, 2);                      // bits
  header += "data";
  append_number(header, uint32_t(samples.size()), 4);
  FileWriter file(path);
  file.write(header);
  file.write(samples);
  if (samples.size() % 2) file.write(std::string_view("\0", 1));
  file.finish();
}

}  // namespace heed
