// A vocabulary of another kind than bytes, which lives in the tests: every byte is a token, and so are some pairs of
// bytes. From left to right a pair is taken wherever there is one.
#pragma once

#include "data/vocabulary.h"

class PairVocabulary : public heed::Vocabulary {
 public:
  explicit PairVocabulary(std::vector<std::string> pairs);

  std::string kind() const override { return "pairs"; }
  long size() const override { return 256 + long(pairs_.size()); }
  std::string_view bytes(int64_t id) const override;
  void encode(std::string_view text, heed::FunctionRef<void(int64_t id)> take) const override;
  std::string saved() const override;

 private:
  std::vector<std::string> pairs_;
};

// "th" is 256, "he" 257, "e " 258, ...
std::shared_ptr<const heed::Vocabulary> pair_vocabulary();
