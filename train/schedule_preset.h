// Schedules that have a name, phases made of a run's steps, rate and batch:
//
//   longformer   windows and texts grow together (Beltagy et al., 2020): five phases, and from one to the next all
//                windows and the context are doubled and the rate is halved. The last has the whole windows and the
//                whole context. Inside a phase the rate is constant, after a warm-up of a tenth of its steps. Most
//                steps are the first phase's, where they are cheap: near things are learned first, far ones need few
//
//   phase        steps      context   windows   rate     batch
//   1            75.4 %     1/16      1/16      rate     2 batch
//   2             8.8 %     1/8       1/8       1/2      2 batch
//   3             8.8 %     1/4       1/4       1/4      batch
//   4             6.1 %     1/2       1/2       1/8      batch
//   5             the rest  whole     whole     1/16     batch
//
// As in the paper's table, with a run's own context in place of 32,768: on a laptop a context of 4,096 begins with
// 256. Validation looks at the windows and the context of the phase it is in, so that its numbers go on from phase to
// phase; what `eval` and `sample` use are the whole ones.
#pragma once

#include <string>
#include <vector>

#include "train/schedule.h"

namespace heed {

struct SchedulePreset {
  std::string name, summary;
  std::string (*phases)(const Phase& run);  // the text of a Schedule; of the run: steps, batch, rate
};

// null if the text is no name of one. Throws if options follow the name: a preset has none.
const SchedulePreset* schedule_preset(const std::string& text);
std::string schedule_presets_text();  // "longformer (five phases ...)", for help

}  // namespace heed
