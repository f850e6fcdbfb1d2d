// What a stream is given while a test runs.
#pragma once

#include <ostream>
#include <sstream>

// Catches what is written to a stream while it lives.
struct Captured {
  std::ostream& stream;
  std::ostringstream text;
  std::streambuf* before;
  explicit Captured(std::ostream& of) : stream(of), before(of.rdbuf(text.rdbuf())) {}
  ~Captured() { stream.rdbuf(before); }
};
