// Ctrl-C, a closed terminal, a closed pipe: at once before the work begins, after the step in it.
#include "system/interrupt.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heed;

BOOST_AUTO_TEST_SUITE(interrupt_test)

namespace {

// How a child ends that runs `body`: its exit code, or minus the signal.
template <class Body> int end_of(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGHUP, SIG_DFL);
    std::signal(SIGPIPE, SIG_DFL);
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

BOOST_AUTO_TEST_CASE(before_the_work_begins_it_ends_at_once) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    BOOST_TEST(end_of([&] {
                 const Interrupt interrupt;
                 ::raise(signal);
               }) == kInterrupted);
}

BOOST_AUTO_TEST_CASE(in_the_work_it_is_a_wish) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    BOOST_TEST(end_of([&] {
                 Interrupt interrupt;
                 interrupt.hold();
                 if (interrupt.wanted()) ::_exit(1);
                 ::raise(signal);
                 ::_exit(interrupt.wanted() ? 2 : 3);
               }) == 2);
}

BOOST_AUTO_TEST_CASE(the_second_one_ends_the_program) {
  BOOST_TEST(end_of([] {
               Interrupt interrupt;
               interrupt.hold();
               ::raise(SIGINT);
               ::raise(SIGINT);
             }) == -SIGINT);
}

BOOST_AUTO_TEST_CASE(afterwards_signals_do_what_they_did) {
  BOOST_TEST(end_of([] {
               {
                 Interrupt interrupt;
                 interrupt.hold();
                 ::raise(SIGINT);
               }
               ::raise(SIGTERM);
             }) == -SIGTERM);
  BOOST_TEST(end_of([] {
               {
                 Interrupt interrupt;
                 interrupt.hold();
                 ::raise(SIGINT);
               }
               Interrupt another;  // does not remember the first one's
               another.hold();
               ::_exit(another.wanted() ? 1 : 0);
             }) == 0);
}

BOOST_AUTO_TEST_CASE(inside_of_one_that_holds_a_wish_is_meant_for_both) {
  for (const bool held : {false, true})
    BOOST_TEST(end_of([&] {
                 Interrupt outer;
                 outer.hold();
                 {
                   Interrupt inner;
                   if (held) inner.hold();
                   ::raise(SIGINT);
                   if (!inner.wanted()) ::_exit(1);
                 }
                 if (!outer.wanted()) ::_exit(2);
                 ::raise(SIGINT);  // the second one
               }) == -SIGINT);
  BOOST_TEST(end_of([] {
               Interrupt outer;
               outer.hold();
               { Interrupt inner; }
               ::raise(SIGINT);  // between two inner ones
               ::_exit(outer.wanted() ? 3 : 4);
             }) == 3);
}

BOOST_AUTO_TEST_CASE(inside_of_one_that_does_not_hold_nothing_changes) {
  BOOST_TEST(end_of([] {
               Interrupt outer;
               {
                 Interrupt inner;
                 inner.hold();
               }
               ::raise(SIGINT);
             }) == kInterrupted);
}

BOOST_AUTO_TEST_CASE(a_closed_terminal_means_nothing_to_who_ignores_it) {
  BOOST_TEST(end_of([] {
               std::signal(SIGHUP, SIG_IGN);  // nohup
               Interrupt interrupt;
               interrupt.hold();
               ::raise(SIGHUP);
               ::_exit(interrupt.wanted() ? 1 : 5);
             }) == 5);
}

BOOST_AUTO_TEST_CASE(a_closed_pipe_is_told_once_and_does_not_end_the_program_later) {
  BOOST_TEST(end_of([] {
               {
                 Interrupt interrupt;
                 interrupt.hold();
                 ::raise(SIGPIPE);
                 ::raise(SIGPIPE);
                 if (!interrupt.wanted()) ::_exit(1);
               }
               ::raise(SIGPIPE);  // the last lines
               ::_exit(6);
             }) == 6);
}

BOOST_AUTO_TEST_SUITE_END()
