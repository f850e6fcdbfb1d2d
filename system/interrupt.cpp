#include "system/interrupt.h"

#include <unistd.h>

#include <string_view>

namespace heed {
namespace {

volatile std::sig_atomic_t asked = 0, held = 0;

void say(std::string_view text) {  // what a signal handler may call
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void ask(int) {
  if (held) {
    asked = 1;
    say("\nstopping when this step is done and saved; Ctrl-C once more stops at once\n");
  } else {
    say("\nstopped before the first step\n");
    ::_exit(kInterrupted);
  }
}

}  // namespace

Interrupt::Interrupt() : inside_(held != 0) {
  if (!inside_) asked = 0;
  struct sigaction action = {};
  action.sa_handler = ask;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // the second one is the system's again
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

Interrupt::~Interrupt() {
  held = inside_;
  if (inside_ && asked) return;  // the next one is the system's
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

void Interrupt::hold() { held = 1; }

bool Interrupt::wanted() const { return asked != 0; }

}  // namespace heed
