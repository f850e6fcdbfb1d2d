// A language model writes text: the sampler (models/sampler.h) with the bytes of a vocabulary in place of tokens.
//
//   sampled_text(model, vocabulary, "The ", {.length = 200});
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"
#include "models/sampler.h"

namespace heed {

// As sample(), but the length of the options counts bytes: of its last token a row gets what still fits. The vocabulary
// is the model's. An empty prompt counts as a new line.
void sample_texts(TokenModel& model, const Vocabulary& vocabulary, const std::vector<std::string>& prompts,
                  const SampleOptions& options, const std::function<bool(long row, std::string_view bytes)>& write);

// What is written behind the prompt.
std::string sampled_text(TokenModel& model, const Vocabulary& vocabulary, const std::string& prompt,
                         const SampleOptions& options);

}  // namespace heed
