#include "nn/finish.h"

namespace heed {

void finish_device_of(Module& model) {
  for (const Parameter* p : model.parameters()) return finish(p->value.value().device());  // all are on one
}

}  // namespace heed
