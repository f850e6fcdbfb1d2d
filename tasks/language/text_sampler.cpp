#include "tasks/language/text_sampler.h"

namespace heed {
namespace {

Ids ids_of(const std::string& prompt) {
  Ids ids;
  for (const char c : prompt.empty() ? "\n" : prompt) ids.push_back(uint8_t(c));
  return ids;
}

}  // namespace

void sample_texts(TokenModel& model, const std::vector<std::string>& prompts, const SampleOptions& options,
                  const std::function<bool(long row, std::string_view bytes)>& write) {
  std::vector<Ids> ids;
  for (const std::string& prompt : prompts) ids.push_back(ids_of(prompt));
  sample(model, ids, options, [&](long row, int64_t id) {
    const char byte = char(id);
    return write(row, {&byte, 1});
  });
}

std::string sampled_text(TokenModel& model, const std::string& prompt, const SampleOptions& options) {
  std::string text;
  sample_texts(model, {prompt}, options, [&](long, std::string_view bytes) {
    text += bytes;
    return true;
  });
  return text;
}

}  // namespace heed
