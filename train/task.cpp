#include "train/task.h"

namespace heed {

std::string Task::nothing_to_predict(long) const { return "no target of its batch counts"; }

}  // namespace heed
