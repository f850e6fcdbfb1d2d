#include "system/interrupt.h"

#include <unistd.h>

#include <string_view>

namespace heed {
namespace {

volatile std::sig_atomic_t asked = 0, held = 0, unread = 0;  // unread: a reader of ours is gone

void say(std::string_view text) {  // what a signal handler may call
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void ask(int signal) {
  if (!held) {
    say("\nstopped before the first step\n");
    ::_exit(kInterrupted);
  }
  const bool again = asked;
  asked = 1;
  if (signal != SIGPIPE)
    say("\nstopping when this step is done and saved; Ctrl-C once more stops at once\n");
  else if (unread = 1; !again)
    say("\nnobody reads what is printed: stopping when this step is done and saved\n");
}

// The second one is the system's again.
void take(int signal, struct sigaction& before) {
  struct sigaction action = {};
  action.sa_handler = ask;
  action.sa_flags = SA_RESTART | (signal == SIGPIPE ? 0 : SA_RESETHAND);
  sigaction(signal, &action, &before);
  if (signal == SIGHUP && before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);
}

}  // namespace

Interrupt::Interrupt() : inside_(held != 0) {
  if (!inside_) {
    asked = 0;
    unread = 0;
  }
  for (size_t i = 0; i < std::size(kSignals); i++) take(kSignals[i], before_[i]);
}

Interrupt::~Interrupt() {
  held = inside_;
  if (inside_ && asked) return;  // the next one is the system's
  for (size_t i = 0; i < std::size(kSignals); i++) sigaction(kSignals[i], &before_[i], nullptr);
  if (unread) std::signal(SIGPIPE, SIG_IGN);  // the last lines are lost, and the exit code is not
}

void Interrupt::hold() { held = 1; }

bool Interrupt::wanted() const { return asked != 0; }

}  // namespace heed
