#include "tasks/language/language_task.h"

#include <cmath>

#include "data/wav.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/text_sampler.h"
#include "train/run_folder.h"

namespace heed {
namespace {

const LmSettings& checked(const LmSettings& s) {
  check_settings(s);
  return s;
}

}  // namespace

Batch batch_of(const TokenBatch& tokens) {
  return {.inputs = tokens.inputs, .targets = tokens.targets, .segments = tokens.segments, .counted = tokens.counted};
}

LanguageTask::LanguageTask(const LmSettings& settings, const ByteSplit& train, const ByteSplit& valid,
                           const std::shared_ptr<const Vocabulary>& vocabulary)
    : settings_(checked(settings)),
      train_(train, vocabulary),
      valid_(valid.first(settings.valid_bytes), vocabulary),
      model_(model_options(settings, vocabulary->size())) {
  if (settings.streams) model_.start_stream(1);  // throws if it cannot
}

LanguageTask::LanguageTask(const LmSettings& settings, const ByteData& data,
                           const std::shared_ptr<const Vocabulary>& vocabulary)
    : LanguageTask(settings, data.train, data.valid, vocabulary) {
  data.check_context(settings.context);  // of bytes there are at least as many as of tokens
  train_.check_window(settings.context);
  valid_.check_window(1);
  fingerprint_ = data.fingerprint();
}

Batch LanguageTask::draw(const BatchPart& part) {
  if (!settings_.streams)
    return batch_of(train_.batch(part.seed, part.step, uint32_t(part.first), part.rows, part.context));
  Batch batch = batch_of(train_.stream({.seed = part.seed,
                                        .restart = uint32_t(part.phase),
                                        .streams = part.batch,
                                        .first = part.first,
                                        .rows = part.rows,
                                        .T = part.context,
                                        .segment = part.past}));
  batch.fresh = part.past % train_.segments(part.batch, part.context) == 0;
  return batch;
}

std::string LanguageTask::nothing_to_predict(long context) const {
  return "its windows of " + std::to_string(context) + " " + unit() + " hold only documents of one " +
         vocabulary().unit() + "; join some of them";
}

double LanguageTask::training_score(double loss, const std::map<std::string, double>&) const {
  return loss / std::log(2.0) / train_.bytes_per_token();
}

double LanguageTask::validate(const Phase& phase) {
  return bits_per_byte(model_, valid_,
                       {.batch = settings_.batch,
                        .context = phase.context_of(settings_.context),
                        .stream = settings_.streams,
                        .window = phase.window,
                        .windows = phase.windows})
      .bpc;
}

Json LanguageTask::known_settings(const Json& given, const std::string& from) const {
  return to_json(settings_from_json(given, from));
}

std::map<std::string, std::string> LanguageTask::strings() const {
  const std::string string = vocabulary_string(vocabulary());
  if (string.empty()) return {};
  return {{kVocabularyString, string}};
}

void LanguageTask::write_samples(const RunFolder& folder, long step) {
  if (settings_.sample_bytes == 0 || settings_.context < 2) return;
  const std::string text =
      sampled_text(model_, vocabulary(), usual_prompt(settings_),
                   {.length = settings_.sample_bytes, .temperature = 0.8, .stream = settings_.streams});
  settings_.sample_rate ? write_wav(folder.sound_path(step), text, settings_.sample_rate)
                        : folder.write_sample(step, text);
}

}  // namespace heed
