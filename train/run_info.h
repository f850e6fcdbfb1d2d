// What a run is and how far it came, for `info` commands: its settings, its last numbers and its checkpoints.
#pragma once

#include <string>

#include "system/json.h"
#include "train/run_folder.h"
#include "train/score.h"

namespace heed {

struct RunFacts {
  Json settings = {};
  long parameters = 0, last_step = 0;
  Score score = {};
};

Json run_info(const RunFolder& folder, const RunFacts& facts);
std::string run_info_text(const Json& info, const Score& score);  // the same for people, in lines

}  // namespace heed
