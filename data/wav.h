// WAV files as bytes: unsigned 8-bit mono samples, so that a model of bytes learns sound and a player plays what it
// samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

inline constexpr char kSilence = char(128);

struct Wav {
  std::string samples;  // a byte each
  long sample_rate;     // per second
};

// PCM of 8 or 16 bits and any number of channels: 16 bits keep their upper 8, channels are averaged. `path` is for the
// errors: a file that is cut off, compressed or no WAV file at all.
Wav parse_wav(std::string_view file, const std::string& path);

// Any player plays it. Whole or not at all (system/write_file.h).
void write_wav(const std::string& path, std::string_view samples, long sample_rate);

}  // namespace heed
