#include "tests/support/error_of.h"

#include "system/error.h"

using namespace heed;

std::string error_of(FunctionRef<void()> f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  BOOST_ERROR("nothing was thrown");
  return "";
}
