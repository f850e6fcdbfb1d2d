// A language model and a text so small that a training step takes less than a millisecond.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/byte_data.h"
#include "tasks/language/lm_settings.h"

inline heed::LmSettings tiny_lm() {
  heed::LmSettings s;
  s.data = "a text";
  s.layers = 1, s.width = 16, s.heads = 2, s.context = 16;
  s.batch = 4, s.steps = 40, s.rate = 1e-2;
  return s;
}

inline std::string tiny_text(int lines = 60) {
  std::string text;
  for (int i = 0; i < lines; i++) text += "line " + std::to_string(i % 7) + ": the fox jumps over the dog.\n";
  return text;
}

// A split of documents of these texts, of which it keeps a copy.
inline heed::ByteSplit split_of(const std::vector<std::string>& texts) {
  const auto own = std::make_shared<const std::vector<std::string>>(texts);
  std::vector<heed::ByteDocument> documents;
  for (const std::string& text : *own)
    documents.push_back({"d", reinterpret_cast<const uint8_t*>(text.data()), long(text.size())});
  return heed::ByteSplit(documents, own, "part");
}
