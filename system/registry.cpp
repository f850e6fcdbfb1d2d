#include "system/registry.h"

#include "system/error.h"

namespace heed {

void fail_registered_twice(const char* op, const char* what, const std::string& name, const std::source_location& first,
                           const std::source_location& second) {
  fail(op, "the ", what, " '", name, "' is registered twice, at ", first.file_name(), ":", first.line(), " and at ",
       second.file_name(), ":", second.line(), "; rename one of them");
}

}  // namespace heed
