// The start-up check: before any other code of heed runs, a CPU that lacks what this build uses ends the process with
// a sentence and the code 1, not with SIGILL in the middle of something.
#pragma once

#include "system/processor.h"

namespace heed {

// Writes that sentence and returns true; false if `present` has all that is `needed`. `cpu` is the CPU's name.
bool startup_sentence(char (&text)[800], Features needed, Features present, const char* cpu);

}  // namespace heed
