#include "train/interrupt.h"

namespace heed {
namespace {

volatile std::sig_atomic_t asked = 0;

void ask(int) { asked = 1; }

}  // namespace

Interrupt::Interrupt() {
  asked = 0;
  struct sigaction action = {};
  action.sa_handler = ask;
  action.sa_flags = SA_RESETHAND | SA_RESTART;  // the second one is the system's again
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interrupt::wanted() const { return asked != 0; }

}  // namespace heed
