// Checks that look back at a whole run, for example "every recorded op has a gradcheck".
#pragma once

// A static AtEnd adds a test case that runs after all others:
//
//   static void check() { BOOST_TEST(...); }
//   static const AtEnd at_end("every_recorded_op_has_a_gradcheck", check);
//
// It is left out when --run_test chooses some of the tests: half a run proves nothing about the whole.
struct AtEnd {
  AtEnd(const char* name, void (*check)());
};
