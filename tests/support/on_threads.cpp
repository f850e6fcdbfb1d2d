#include "tests/support/on_threads.h"

#include "system/parallel.h"

using namespace heed;

void on_threads(int count, FunctionRef<void()> f) {
  struct Restore {
    int before = threads();
    ~Restore() { set_threads(before); }
  } restore;
  set_threads(count);
  f();
}
