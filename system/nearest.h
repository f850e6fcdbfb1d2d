// Names that users type: the one they meant, and the error for one that does not exist.
#pragma once

#include <string>
#include <vector>

namespace heed {

// The known name that takes the fewest changes of letters (a swap of neighbours is one, capitals do not count); ""
// when none is near.
std::string nearest_name(const std::string& given, const std::vector<std::string>& known);

// Throws "feed_forward: there is no activation 'glue'; there are relu, gelu, glu. Did you mean glu?"
[[noreturn]] void fail_unknown(const char* op, const char* what, const std::string& given,
                               const std::vector<std::string>& known);

}  // namespace heed
