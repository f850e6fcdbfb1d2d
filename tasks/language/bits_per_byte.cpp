#include "tasks/language/bits_per_byte.h"

#include <cmath>
#include <optional>

#include "nn/finish.h"
#include "system/mapped_files.h"
#include "tasks/language/language_task.h"

namespace heed {

Evaluation bits_per_byte(Gpt& model, const TokenSplit& split, const EvaluationOptions& o) {
  HEED_CHECK(model.vocabulary_size() == split.vocabulary().size(), "bits_per_byte", "the model has ",
             model.vocabulary_size(), " tokens and the vocabulary of the part '", split.name(), "' ",
             split.vocabulary().size(), "; a text is measured with the model's own");
  const NoGrad no_grad;
  const long context = o.context ? o.context : model.context();
  TokenWindows windows = o.stream ? TokenWindows(split, 1, context, context)
                                  : TokenWindows(split, o.batch, context, o.stride ? o.stride : context);
  std::optional<StackState> state;
  if (o.stream) state = model.start_stream(1);
  const LossIn in{.hidden = o.window ? window_mask(o.window, 0) : Mask(), .state = state ? &*state : nullptr};
  Evaluation result;
  NextToken objective(model);
  double nats = 0;
  for (TokenBatch batch; windows.next(batch);) {
    Context ctx;
    ctx.window_scale = o.windows;
    if (o.stream) batch.segments = Tensor();  // documents follow each other, as in training
    nats += objective.summed_loss(batch_of(batch), in, ctx).item();
    result.bytes += batch.bytes;
    if (o.progress) o.progress(windows.done(), windows.windows());
  }
  finish_device_of(model);
  check_files();
  HEED_CHECK(result.bytes > 0, "bits_per_byte", "the part '", split.name(), "' has ", split.size(), " ",
             split.vocabulary().units(), " in ", split.text().documents().size(),
             " documents; there is none to predict: one with another before it");
  result.bpc = nats / std::log(2.0) / double(result.bytes);
  return result;
}

}  // namespace heed
