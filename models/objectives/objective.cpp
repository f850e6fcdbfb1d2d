#include "models/objectives/objective.h"

#include "system/error.h"

namespace heed {

StackState Objective::start(long) {
  fail("objective", "this model keeps nothing from one batch to the next; train it without streams");
}

}  // namespace heed
