// SHA-256 (FIPS 180-4): tells whether a download is the file it should be.
#pragma once

#include <string>
#include <string_view>

namespace heed {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace heed
