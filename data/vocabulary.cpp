#include "data/vocabulary.h"

#include "system/error.h"
#include "system/text.h"

namespace heed {

std::vector<int64_t> Vocabulary::ids(std::string_view text) const {
  std::vector<int64_t> ids;
  encode(text, [&](int64_t id) { ids.push_back(id); });
  return ids;
}

std::string Vocabulary::text(const std::vector<int64_t>& ids) const {
  std::string text;
  for (size_t i = 0; i < ids.size(); i++) {
    HEED_CHECK(ids[i] >= 0 && ids[i] < size(), "vocabulary", "there is no token ", ids[i], " (at place ", i,
               "); there are 0 to ", size() - 1);
    text += bytes(ids[i]);
  }
  return text;
}

std::string vocabulary_string(const Vocabulary& vocabulary) {
  return vocabulary.is_bytes() ? "" : vocabulary.kind() + "\n" + vocabulary.saved();
}

std::shared_ptr<const Vocabulary> vocabulary_from_string(const std::string& string, const std::string& from) {
  if (string.empty()) return byte_vocabulary();
  const size_t end = string.find('\n');
  HEED_CHECK(end != std::string::npos, "vocabulary", from, " is damaged: its vocabulary does not say its kind");
  const std::string kind = string.substr(0, end);
  const VocabularyKind* found = all_vocabularies.find_or_null(kind);
  HEED_CHECK(found, "vocabulary", from, " has a vocabulary of the kind '", kind, "', which this version does not know",
             "; it knows ", joined(all_vocabularies.names(), ", "));
  return found->read(string.substr(end + 1), from);
}

}  // namespace heed
