// The biases by position that several variants offer as the option `bias`, by their formulas.
#pragma once

#include "tests/oracle/oracle.h"

double position_bias(const heed::VariantOptions& options, const OracleScore& score);
