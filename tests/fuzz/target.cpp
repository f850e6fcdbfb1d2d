#include "tests/fuzz/target.h"

#include "system/error.h"

bool is_accepted(const FuzzTarget& target, std::string_view bytes) {
  try {
    target.read(bytes);
    return true;
  } catch (const heed::Error& error) {
    must(std::string_view(error.what()).size() > 10);  // it says something
    return false;
  }
}
