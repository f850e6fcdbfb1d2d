// How long the runs of an OrderingSet take on this machine, found out by trying steps. Orderings of the same letters in
// another order are taken to be equally fast.
#pragma once

#include "data/byte_data.h"
#include "tasks/language/ordering_set.h"

namespace heed {

// How many steps every run may have if all together are to take about so many seconds; at least 1.
long equal_steps(double seconds, const std::vector<OrderingRun>& runs, const LmSettings& settings,
                 const ByteData& data);

// What is left to be trained of the runs below this folder, in seconds.
double seconds_left(const std::string& folder, const std::vector<OrderingRun>& runs, const LmSettings& settings,
                    const ByteData& data);

}  // namespace heed
