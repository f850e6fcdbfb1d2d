// heed's version, as `--version` of every program prints it.
#pragma once

namespace heed {

const char* version();  // "0.1.0"

}  // namespace heed
