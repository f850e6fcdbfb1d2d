// What an error says.
#pragma once

#include <string>

#include "system/function_ref.h"

// The text of the heed::Error that f throws; fails the test when it throws nothing.
std::string error_of(heed::FunctionRef<void()> f);
