// Running something with another number of threads.
#pragma once

#include "system/function_ref.h"

// Runs f with this many threads and puts the old number back.
void on_threads(int count, heed::FunctionRef<void()> f);
