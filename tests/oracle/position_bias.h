// The option `bias` of all patterns, by the formulas of the papers.
#pragma once

#include "tests/oracle/oracle.h"

heed::Variable position_bias(const OracleCase& c, const OracleHeads& heads);  // undefined: none
