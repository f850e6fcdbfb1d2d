// For clang's libFuzzer, which has a main of its own: HEED_FUZZ_TARGET names what is fed.
#include <cstdint>
#include <cstdlib>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char* const name = std::getenv("HEED_FUZZ_TARGET");
  static const FuzzTarget& target = fuzz_targets.find(name ? name : "");
  is_accepted(target, {reinterpret_cast<const char*>(data), size});
  return 0;
}
