// Writing files so that a reader never meets half of one.
#pragma once

#include <string>
#include <string_view>

namespace heed {

// The file is there whole or, after an error or a kill, as it was before: the bytes go to a temporary file beside it,
// reach the disk, and take its name at last. Creates the folders above it. Errors name the file and the reason.
void write_file(const std::string& path, std::string_view bytes);

// Throws what write_file would: to be called before hours of work whose result goes there. Creates the folders too.
void check_writable(const std::string& path);

}  // namespace heed
