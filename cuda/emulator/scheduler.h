// Runs grids: blocks one after the other, the threads of a block as fibers.
#pragma once

#include <functional>
#include <string>

#pragma GCC visibility push(hidden)

namespace heed::emulator {

// Which thread, and which block, goes on first. HEED_SCHEDULE says it unless somebody sets it.
enum class Order { forward, reverse, random };
struct Schedule {
  Order order = Order::forward;
  unsigned seed = 0;
};
Schedule schedule_from(const std::string& text);  // "forward", "reverse", "random:7"; throws for anything else
void set_schedule(const Schedule& schedule);

// Returns "", or what went wrong in which block.
std::string run_grid(unsigned blocks, unsigned threads, const std::function<void()>& kernel);

// For the handler of memory faults: if a thread of a kernel runs, it is ended here, and run_grid tells of `what`. It
// returns only if none runs.
void abandon_thread(const std::string& what);

}  // namespace heed::emulator

#pragma GCC visibility pop
