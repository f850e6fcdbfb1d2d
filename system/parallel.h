// Our one thread pool. Work is cut by the shape only, never by the number of threads, so results have the same bits
// for any number of threads.
#pragma once

#include "system/function_ref.h"

namespace heed {

int threads();                // default: the cores this process may use, within the cgroup's quota
void set_threads(int count);  // 1..64; every program's option --threads does it

// Calls f(begin, end) for the pieces [0, grain), [grain, 2 grain), ... of [0, n), several at a time. f must not
// throw. Nested calls run in the calling thread, and so do calls in a forked child and while another thread's loop has
// the pool: the result is the same.
void parallel_for(long n, long grain, FunctionRef<void(long, long)> f);

}  // namespace heed
