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

Batch batch_of(const ByteBatch& bytes) {
  return {.inputs = bytes.inputs, .targets = bytes.targets, .segments = bytes.segments, .counted = bytes.counted};
}

LanguageTask::LanguageTask(const LmSettings& settings, const ByteSplit& train, const ByteSplit& valid)
    : settings_(checked(settings)), train_(train), valid_(valid), model_(model_options(settings)) {
  if (settings.streams) model_.start_stream(1);  // throws if it cannot
}

LanguageTask::LanguageTask(const LmSettings& settings, const ByteData& data)
    : LanguageTask(settings, data.train, data.valid) {
  data.check_context(settings.context);
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
  return "its windows of " + std::to_string(context) + " bytes hold only documents of one byte; join some of them";
}

double LanguageTask::training_score(double loss, const std::map<std::string, double>&) const {
  return loss / std::log(2.0);
}

double LanguageTask::validate(const Phase& phase) {
  return bits_per_byte(model_, valid_.first(settings_.valid_bytes),
                       {.batch = settings_.batch,
                        .context = phase.context,
                        .stream = settings_.streams,
                        .window = phase.window,
                        .windows = phase.windows})
      .bpc;
}

Json LanguageTask::known_settings(const Json& given, const std::string& from) const {
  return to_json(settings_from_json(given, from));
}

void LanguageTask::write_samples(const RunFolder& folder, long step) {
  if (settings_.sample_bytes == 0 || settings_.context < 2) return;
  const std::string text =
      sampled_text(model_, usual_prompt(settings_), {.length = settings_.sample_bytes, .temperature = 0.8});
  settings_.sample_rate ? write_wav(folder.sound_path(step), text, settings_.sample_rate)
                        : folder.write_sample(step, text);
}

}  // namespace heed
