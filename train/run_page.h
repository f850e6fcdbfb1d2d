// The page of a run: RUN/index.html with the loss curve, samples and settings, and loss.svg and loss.png beside it. It
// needs neither a server nor the network.
#pragma once

#include "show/chart.h"
#include "train/run_folder.h"

namespace heed {

void write_page(const RunFolder& run);

// Several runs in one chart: bits per byte on validation data by step, or by seconds of training.
Chart comparison(const std::vector<RunFolder>& runs, const std::string& x);

}  // namespace heed
