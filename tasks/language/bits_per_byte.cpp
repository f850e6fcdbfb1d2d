#include "tasks/language/bits_per_byte.h"

#include <cmath>
#include <optional>

#include "tasks/language/language_task.h"

namespace heed {

Evaluation bits_per_byte(Gpt& model, const ByteSplit& split, const EvaluationOptions& o) {
  const NoGrad no_grad;
  const long context = o.context ? o.context : model.context();
  ByteWindows windows = o.stream ? ByteWindows(split, 1, context, context)
                                 : ByteWindows(split, o.batch, context, o.stride ? o.stride : context);
  std::optional<StackState> state;
  if (o.stream) state = model.start_stream(1);
  const LossIn in{.hidden = o.window ? window_mask(o.window, 0) : Mask(), .state = state ? &*state : nullptr};
  Evaluation result;
  NextToken objective(model);
  double nats = 0;
  for (ByteBatch batch; windows.next(batch);) {
    Context ctx;
    ctx.window_scale = o.windows;
    if (o.stream) batch.segments = Tensor();  // documents follow each other, as in training
    nats += objective.summed_loss(batch_of(batch), in, ctx).item();
    result.bytes += batch.counted;
    if (o.progress) o.progress(windows.done(), windows.windows());
  }
  HEED_CHECK(result.bytes > 0, "bits_per_byte", "the part '", split.name(), "' has ", split.size(), " bytes in ",
             split.documents().size(), " documents; there is none to predict: one with another before it");
  result.bpc = nats / std::log(2.0) / double(result.bytes);
  return result;
}

}  // namespace heed
