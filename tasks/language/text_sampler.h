// A language model writes text: the sampler (models/sampler.h) with texts in place of tokens.
//
//   sampled_text(model, "The ", {.length = 200});
//   sample_texts(model, {"The ", "A "}, {.length = 200}, [](long row, std::string_view bytes) { ...; return true; });
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/sampler.h"

namespace heed {

// As sample(), but the length of the options counts bytes. An empty prompt counts as a new line.
void sample_texts(TokenModel& model, const std::vector<std::string>& prompts, const SampleOptions& options,
                  const std::function<bool(long row, std::string_view bytes)>& write);

// What is written behind the prompt.
std::string sampled_text(TokenModel& model, const std::string& prompt, const SampleOptions& options);

}  // namespace heed
