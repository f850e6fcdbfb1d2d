#include "models/token_model.h"

#include "system/error.h"

namespace heed {

StackState TokenModel::start_stream(long) {
  fail("model", "what this model remembers has an end; it cannot read or write a text without one");
}

}  // namespace heed
