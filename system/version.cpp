#include "system/version.h"

namespace heed {

const char* version() { return HEED_VERSION; }  // the Makefile holds the number

}  // namespace heed
