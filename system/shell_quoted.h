// A word of a command that a user may copy into a shell: runs/mine as it is, 'my runs/$1' in quotes.
#pragma once

#include <string>

namespace heed {

std::string shell_quoted(const std::string& word);

}  // namespace heed
