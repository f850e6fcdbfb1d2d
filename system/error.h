// Errors are part of the product. Every public door checks what it is given before any work and throws an Error
// that says the op, what was given, the rule and a hint. Nothing in heed aborts the host process.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace heed {

class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The device has no room: says how much was wanted and how much is free.
class OutOfMemory : public Error {
  using Error::Error;
};

// The autograd graph was used in a way it cannot serve: run twice, or after a saved tensor changed.
class GraphError : public Error {
  using Error::Error;
};

// fail("matmul", "a is ", a.shape(), ...) throws Error("matmul: a is (2, 3) ...").
template <class Kind = Error, class... Parts> [[noreturn]] void fail(const char* op, const Parts&... parts) {
  std::ostringstream text;
  text << op << ": ";
  (text << ... << parts);
  throw Kind(text.str());
}

}  // namespace heed

// Throws unless the condition holds; the parts of the message are built only then.
#define HEED_CHECK(condition, op, ...) \
  do {                                 \
    if (!(condition)) [[unlikely]]     \
      ::heed::fail(op, __VA_ARGS__);   \
  } while (false)
