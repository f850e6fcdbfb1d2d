// The vocabulary of bytes: 256 tokens, each its own id. Any text is one already, so nothing is encoded or saved.
#include <array>

#include "data/vocabulary.h"

namespace heed {
namespace {

constexpr long kBytes = 256;

class ByteVocabulary : public Vocabulary {
 public:
  ByteVocabulary() {
    for (size_t i = 0; i < kBytes; i++) all_[i] = char(i);
  }
  std::string kind() const override { return "bytes"; }
  long size() const override { return kBytes; }
  std::string_view bytes(int64_t id) const override { return {&all_[size_t(id)], 1}; }
  void encode(std::string_view text, FunctionRef<void(int64_t id)> take) const override {
    for (const char c : text) take(uint8_t(c));
  }
  std::string saved() const override { return ""; }
  bool is_bytes() const override { return true; }

 private:
  std::array<char, kBytes> all_;
};

const RegisteredVocabulary bytes{
    {.name = "bytes", .read = [](const std::string&, const std::string&) { return byte_vocabulary(); }}};

}  // namespace

std::shared_ptr<const Vocabulary> byte_vocabulary() {
  static const std::shared_ptr<const Vocabulary> one = std::make_shared<ByteVocabulary>();
  return one;
}

}  // namespace heed
