#include "tasks/language/conversion.h"

#include <algorithm>

#include "system/error.h"
#include "system/text.h"
#include "tasks/language/bits_per_byte.h"
#include "train/model_tensors.h"
#include "train/warm_start.h"

namespace heed {

LmSettings converted(const LmSettings& before, long context, const std::string& from, const std::string& hint) {
  HEED_CHECK(before.positions == "learned", "convert", from, " has ", before.positions,
             " positions, and only learned ones end at the context (", before.context, "): it needs no conversion",
             hint);
  HEED_CHECK(context > before.context, "convert", from, " reads ", before.context,
             " bytes at once, and the new context is ", context, "; a conversion is for longer texts");
  LmSettings now = before;
  now.context = context;
  if (before.attention == "full") now.attention = "longformer:window=" + std::to_string(before.context - 1);
  now.batch = std::max(1L, before.batch * before.context / context);
  now.micro_batch = std::min(now.micro_batch, now.batch);
  now.rate = before.rate / 10;
  return now;
}

std::string ConversionLoss::text() const {
  return format(
      "conversion: %.4f bits per byte of the validation before, with windows of %ld; after it %.4f with the same "
      "windows, and %.4f with windows of %ld",
      before, old_context, same_context, after, new_context);
}

ConversionLoss conversion_loss(const LoadedModel& old, const LmSettings& now, const ByteSplit& valid) {
  Gpt model(model_options(now, old.vocabulary->size()));
  model.initialise(uint32_t(now.seed));
  warm_start(model, model_tensors(*old.model), old.path);
  model.move_to(chosen_device());
  const TokenSplit text(valid.first(now.valid_bytes), old.vocabulary);
  const auto bpc = [&](Gpt& of, long context) {
    return bits_per_byte(of, text, {.batch = now.batch, .context = context}).bpc;
  };
  const long context = old.settings.context;
  return {.before = bpc(*old.model, context),
          .same_context = bpc(model, context),
          .after = bpc(model, now.context),
          .old_context = context,
          .new_context = now.context};
}

}  // namespace heed
