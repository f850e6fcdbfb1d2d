#include "tasks/language/bits_per_byte.h"

#include <cmath>

#include "tasks/language/language_task.h"

namespace heed {

Evaluation bits_per_byte(Gpt& model, const ByteSplit& split, const EvaluationOptions& o) {
  const NoGrad no_grad;
  const long context = o.context ? o.context : model.context();
  ByteWindows windows(split, o.batch, context, o.stride ? o.stride : context);
  Evaluation result;
  NextToken objective(model);
  double nats = 0;
  for (ByteBatch batch; windows.next(batch);) {
    Context ctx;
    nats += objective.summed_loss(batch_of(batch), {}, ctx).item();
    result.bytes += batch.counted;
    if (o.progress) o.progress(windows.done(), windows.windows());
  }
  HEED_CHECK(result.bytes > 0, "bits_per_byte", "the part '", split.name(), "' has ", split.size(), " bytes in ",
             split.documents().size(), " documents; there is none to predict: one with another before it");
  result.bpc = nats / std::log(2.0) / double(result.bytes);
  return result;
}

}  // namespace heed
