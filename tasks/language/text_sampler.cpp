#include "tasks/language/text_sampler.h"

#include "system/error.h"

namespace heed {

void sample_texts(TokenModel& model, const Vocabulary& vocabulary, const std::vector<std::string>& prompts,
                  const SampleOptions& options, const std::function<bool(long row, std::string_view bytes)>& write) {
  HEED_CHECK(model.vocabulary_size() == vocabulary.size(), "sample", "the model has ", model.vocabulary_size(),
             " tokens and the vocabulary ", vocabulary.size(), "; a model writes with its own");
  std::vector<Ids> ids;
  for (const std::string& prompt : prompts) ids.push_back(vocabulary.ids(prompt.empty() ? "\n" : prompt));
  std::vector<long> left(prompts.size(), options.length);  // bytes; a token has at least one
  sample(model, ids, options, [&](long row, int64_t id) {
    const std::string_view bytes = vocabulary.bytes(id).substr(0, size_t(left[size_t(row)]));
    left[size_t(row)] -= long(bytes.size());
    return write(row, bytes) && left[size_t(row)] > 0;
  });
}

std::string sampled_text(TokenModel& model, const Vocabulary& vocabulary, const std::string& prompt,
                         const SampleOptions& options) {
  std::string text;
  sample_texts(model, vocabulary, {prompt}, options, [&](long, std::string_view bytes) {
    text += bytes;
    return true;
  });
  return text;
}

}  // namespace heed
