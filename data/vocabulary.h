// Vocabulary: the tokens that a text is made of for a model: ids from 0 to V - 1, and the bytes that each stands for.
// Every text has ids, whatever its bytes are, and they give it back: text(ids(t)) == t. A checkpoint has the vocabulary
// of its model with it.
//
//   const std::shared_ptr<const Vocabulary> vocabulary = byte_vocabulary();
//   vocabulary->ids("The ");     // 84, 104, 101, 32
//   vocabulary->bytes(84);       // "T"
//
// The first kind is bytes: one token for each. A further kind is a file that registers itself:
//
//   const RegisteredVocabulary words{{.name = "words", .read = read_words}};
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "system/function_ref.h"
#include "system/registry.h"

namespace heed {

class Vocabulary {
 public:
  virtual ~Vocabulary() = default;

  virtual std::string kind() const = 0;  // as the registry calls it: "bytes"
  virtual long size() const = 0;         // V
  // What a token stands for: at least one byte. It lives as long as the vocabulary.
  virtual std::string_view bytes(int64_t id) const = 0;
  virtual void encode(std::string_view text, FunctionRef<void(int64_t id)> take) const = 0;  // hands over the ids
  virtual std::string saved() const = 0;           // all that it is made of, for its kind to read
  virtual bool is_bytes() const { return false; }  // ids are bytes, so that a text is its ids

  std::vector<int64_t> ids(std::string_view text) const;
  std::string text(const std::vector<int64_t>& ids) const;            // throws if there is no such token
  std::string unit() const { return is_bytes() ? "byte" : "token"; }  // what a token is called
  std::string units() const { return unit() + "s"; }
};

std::shared_ptr<const Vocabulary> byte_vocabulary();  // always the same one

// A vocabulary as a string of a checkpoint (train/checkpoint_state.h), and back; `from` is the file, for the errors.
// Bytes need none: the empty string.
inline constexpr const char* kVocabularyString = "vocabulary";
std::string vocabulary_string(const Vocabulary& vocabulary);
std::shared_ptr<const Vocabulary> vocabulary_from_string(const std::string& string, const std::string& from);

struct VocabularyKind {
  std::string name;
  std::shared_ptr<const Vocabulary> (*read)(const std::string& saved, const std::string& from);
};
inline constinit Registry<VocabularyKind> all_vocabularies{"vocabulary", "kind of vocabulary"};
using RegisteredVocabulary = Registration<all_vocabularies>;

}  // namespace heed
