#include "system/registry.h"

#include "system/error.h"

namespace heed {

void fail_registered_twice(const char* op, const char* what, const std::string& name, const SourceLine& first,
                           const SourceLine& second) {
  fail(op, "the ", what, " '", name, "' is registered twice, at ", first.file, ":", first.line, " and at ", second.file,
       ":", second.line, "; rename one of them");
}

}  // namespace heed
