// What most source files read anyway: the Makefile compiles it once (a precompiled header) and puts it in front of
// them. It is no substitute for a file's own #include lines: `make PCH=` and the sanitizers' build do without it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "tensor/kernel.h"
