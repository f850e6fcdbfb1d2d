// Interrupt: while one lives, the first Ctrl-C (or SIGTERM) only asks the program to stop; a loop looks at wanted() and ends
// in good order. A second one ends the program at once, as usual.
#pragma once

#include <csignal>

namespace heed {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool wanted() const;

 private:
  struct sigaction interrupt_, terminate_;  // as they were
};

}  // namespace heed
