#include "tests/support/pair_vocabulary.h"

#include <algorithm>

#include "system/error.h"

using namespace heed;

namespace {

std::shared_ptr<const Vocabulary> read_pairs(const std::string& saved, const std::string& from) {
  HEED_CHECK(saved.size() % 2 == 0, "pairs", from, " is damaged: its pairs have ", saved.size(), " bytes");
  std::vector<std::string> pairs;
  for (size_t i = 0; i < saved.size(); i += 2) pairs.push_back(saved.substr(i, 2));
  return std::make_shared<PairVocabulary>(pairs);
}

const RegisteredVocabulary pairs{{.name = "pairs", .read = read_pairs}};

}  // namespace

PairVocabulary::PairVocabulary(std::vector<std::string> pairs) : pairs_(std::move(pairs)) {}

std::string_view PairVocabulary::bytes(int64_t id) const {
  return id < 256 ? byte_vocabulary()->bytes(id) : std::string_view(pairs_[size_t(id - 256)]);
}

void PairVocabulary::encode(std::string_view text, FunctionRef<void(int64_t id)> take) const {
  for (size_t at = 0; at < text.size();) {
    const auto pair = std::find(pairs_.begin(), pairs_.end(), text.substr(at, 2));
    take(pair == pairs_.end() ? uint8_t(text[at]) : 256 + (pair - pairs_.begin()));
    at += pair == pairs_.end() ? 1 : 2;
  }
}

std::string PairVocabulary::saved() const {
  std::string all;
  for (const std::string& pair : pairs_) all += pair;
  return all;
}

std::shared_ptr<const Vocabulary> pair_vocabulary() {
  static const auto one =
      std::make_shared<PairVocabulary>(std::vector<std::string>{"th", "he", "e ", "ox", " j", "um", "\n\xff"});
  return one;
}
