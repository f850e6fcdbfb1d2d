// Which preset suits a text and the time there is, for who names none: the largest that gets enough steps and has
// enough to read. docs/laptop.md has the measurements behind the two rules.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed {

struct PresetFacts {
  long parameters = 0;
  double steps = 0;  // that fit into the time
};

struct PresetChoice {
  std::string name, why;  // why: "in 2 min 00 s small would take about 81 steps, and ..."
};

// `names`: the smallest first, which is taken if nothing else can be; a larger one is asked for its facts only if those
// before it will do. `bytes`: there are to learn; `seconds`: of training.
PresetChoice chosen_preset(const std::vector<std::string>& names,
                           const std::function<PresetFacts(const std::string& name)>& facts, long bytes,
                           double seconds);

// A sentence if the text is so short that a model can only learn it by heart; otherwise empty.
std::string note_on_little_text(long bytes, long valid_bytes);

}  // namespace heed
