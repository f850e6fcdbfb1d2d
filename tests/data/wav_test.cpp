// WAV files as bytes.
#include "data/wav.h"

#include "data/byte_data.h"
#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;
using namespace std::string_literals;

BOOST_AUTO_TEST_SUITE(wav_test)

namespace {

std::string number(uint32_t value, int size) {
  std::string out;
  for (int i = 0; i < size; i++) out += char(value >> (8 * i));
  return out;
}

std::string chunk(const std::string& name, const std::string& bytes) {
  return name + number(uint32_t(bytes.size()), 4) + bytes + std::string(bytes.size() % 2, '\0');
}

std::string fmt(uint32_t tag, uint32_t channels, uint32_t rate, uint32_t bits) {
  const uint32_t frame = channels * bits / 8;
  return chunk("fmt ", number(tag, 2) + number(channels, 2) + number(rate, 4) + number(rate * frame, 4) +
                           number(frame, 2) + number(bits, 2));
}

std::string riff(const std::string& chunks) {
  return "RIFF" + number(uint32_t(chunks.size()) + 4, 4) + "WAVE" + chunks;
}

std::string wav_error(const std::string& file) {
  return error_of([&] { parse_wav(file, "it"); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const Folder folder;
  for (const std::string& samples : {std::string("\x80\x00\xff\x01", 4), std::string("abc"), std::string()}) {
    write_wav(folder / "new/a.wav", samples, 11025);
    const std::string file = read_file(folder / "new/a.wav");
    BOOST_TEST(file.size() % 2 == 0u);
    BOOST_TEST(file.substr(4, 4) == number(uint32_t(file.size()) - 8, 4));
    const Wav wav = parse_wav(file, "it");
    BOOST_TEST(wav.samples == samples);
    BOOST_TEST(wav.sample_rate == 11025);
  }
}

BOOST_AUTO_TEST_CASE(sixteen_bits_keep_their_upper_half_and_channels_are_averaged) {
  const auto sample = [](int value) { return number(uint32_t(value), 2); };
  const std::string mono = sample(-32768) + sample(-1) + sample(0) + sample(255) + sample(256) + sample(32767);
  BOOST_TEST(parse_wav(riff(fmt(1, 1, 8000, 16) + chunk("data", mono)), "it").samples == "\x00\x7f\x80\x80\x81\xff"s);
  const std::string stereo = sample(-32768) + sample(32767) + sample(1024) + sample(512);
  BOOST_TEST(parse_wav(riff(fmt(1, 2, 8000, 16) + chunk("data", stereo)), "it").samples == "\x7f\x83");
  BOOST_TEST(parse_wav(riff(fmt(1, 2, 8000, 8) + chunk("data", "\x10\x20\x30\x40")), "it").samples == "\x18\x38");
}

BOOST_AUTO_TEST_CASE(other_chunks_are_passed_over_and_streams_go_to_the_end) {
  const std::string odd = chunk("LIST", "abc");
  BOOST_TEST(parse_wav(riff(odd + fmt(1, 1, 8000, 8) + odd + chunk("data", "xyz") + odd), "it").samples == "xyz");
  BOOST_TEST(parse_wav(riff(fmt(1, 1, 8000, 8) + "data\xff\xff\xff\xff" + "xyz"), "it").samples == "xyz");
  const std::string extensible =
      chunk("fmt ", number(0xfffe, 2) + number(1, 2) + number(8000, 4) + number(8000, 4) + number(1, 2) + number(8, 2) +
                        number(22, 2) + number(8, 2) + number(4, 4) + number(1, 2) + std::string(14, '\0'));
  BOOST_TEST(parse_wav(riff(extensible + chunk("data", "xyz")), "it").samples == "xyz");
}

BOOST_AUTO_TEST_CASE(bad_files_are_explained) {
  BOOST_TEST(wav_error("ID3 an mp3 file") == "wav: it is not a WAV file: it does not begin with RIFF and WAVE");
  BOOST_TEST(
      wav_error(riff(fmt(1, 1, 8000, 24) + chunk("data", "xyz"))) ==
      "wav: it has 24-bit samples of format 1; 8 or 16 bits of PCM (format 1) can be read. Convert it: ffmpeg -i it "
      "-acodec pcm_u8 -ac 1 new.wav");
  BOOST_TEST(wav_error(riff(chunk("data", "xyz"))) ==
             "wav: it does not say its format in front of its samples (a fmt chunk)");
  BOOST_TEST(wav_error(riff(fmt(1, 1, 8000, 8))) == "wav: it is cut off: it has no samples (no data chunk)");
  BOOST_TEST(wav_error(riff(fmt(1, 0, 8000, 8) + chunk("data", ""))) ==
             "wav: it is damaged: it has 0 channels and 8000 samples per second; 1 to 1000000 can be");
  BOOST_TEST(wav_error(riff(fmt(1, 1, 8000, 8) + "data" + number(9, 4) + "xyz")) ==
             "wav: it is cut off: its chunk at byte 36 has 9 bytes, and 3 are left");
}

BOOST_AUTO_TEST_CASE(every_cut_is_noticed) {
  const std::string whole = riff(chunk("LIST", "abc") + fmt(1, 2, 8000, 16) + chunk("data", "abcdefgh"));
  for (size_t size = 0; size < whole.size(); size++)
    BOOST_TEST(wav_error(whole.substr(0, size)).starts_with("wav: it is"), size);
}

BOOST_AUTO_TEST_CASE(a_wav_file_is_data_with_a_sample_rate) {
  const Folder folder;
  write_wav(folder / "a.WAV", std::string(1000, 'x'), 8000);
  const ByteData data = ByteData::open(folder / "a.WAV");
  BOOST_TEST(data.sample_rate == 8000);
  BOOST_TEST(data.size == 1000);
  BOOST_TEST(data.train.documents()[0].bytes[0] == 'x');
  write_wav(folder / "b.wav", std::string(10, 'x'), 9000);
  BOOST_TEST(error_of([&] {
               ByteData::open(std::vector<std::string>{folder / "a.WAV", folder / "b.wav"});
             }) == "byte_data: " + (folder / "b.wav") +
                       " has 9000 samples per second and the file before it 8000; they must be equal");
  BOOST_TEST(error_of([&] { write_wav(folder / "c.wav", "x", 0); }) ==
             "write_wav: the sample rate is 0; it must be 1 to 2147483647 per second");
}

BOOST_AUTO_TEST_CASE(rates_that_cannot_be_are_refused) {
  BOOST_TEST(wav_error(riff(fmt(1, 1, 0xffffffff, 8) + chunk("data", "abcd"))) ==
             "wav: it is damaged: it has 1 channels and 4294967295 samples per second; 1 to 1000000 can be");
  std::string file = riff(fmt(1, 2, 8000, 16) + chunk("data", "abcd"));
  const size_t bytes_per_second = 12 + 8 + 8;
  file.replace(bytes_per_second, 4, number(8000, 4));
  BOOST_TEST(
      wav_error(file) ==
      "wav: it contradicts itself: 8000 samples per second are 32000 bytes per second, and it says 8000. Write it "
      "anew: ffmpeg -i it new.wav");
  file.replace(bytes_per_second, 4, number(0, 4));  // some programs do not tell
  BOOST_TEST(parse_wav(file, "it").sample_rate == 8000);
}

BOOST_AUTO_TEST_SUITE_END()
