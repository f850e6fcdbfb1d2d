// Boost.Test, included in front of every test file by the Makefile, and compiled once (precompiled header).
#pragma once

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
