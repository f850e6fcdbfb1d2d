// Interrupt: while one lives, Ctrl-C (or SIGTERM, SIGHUP of a terminal that is closed, SIGPIPE of a reader that is
// gone) does not end the program in the middle of something.
//
//   Interrupt interrupt;                         // nothing is done yet: Ctrl-C ends the program at once, exit code 130
//   prepare();
//   interrupt.hold();                            // from here on the first one only asks to stop
//   while (!interrupt.wanted()) step();
//   save();
//
// A second one ends the program at once, as usual, but for SIGPIPE: nobody asked for it, and every further line that is
// printed would be one. Where SIGHUP is ignored (nohup), it stays so. One may live inside of another that holds, as a
// run does inside of a set of runs: it holds from the start, and a wish to stop is meant for both.
#pragma once

#include <csignal>
#include <iterator>

namespace heed {

inline constexpr int kInterrupted = 130;  // the exit code of a program that was stopped in this way, as shells have it

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void hold();
  bool wanted() const;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

  const bool inside_;                             // of another one that holds
  struct sigaction before_[std::size(kSignals)];  // as they were
};

}  // namespace heed
