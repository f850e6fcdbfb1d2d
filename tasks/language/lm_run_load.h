// The model of a run as its newest checkpoint has it (or its best; or a file of one), to sample, evaluate or look at:
// without what only training needs.
//
//   const LoadedModel loaded = load_run("runs/mine");
//   sampled_text(*loaded.model, *loaded.vocabulary, "The ", {.length = 200});
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "data/vocabulary.h"
#include "models/gpt.h"
#include "tasks/language/lm_settings.h"

namespace heed {

struct LoadedModel {
  LmSettings settings = {};  // their data is empty if the file of a checkpoint has left its run
  long step = 0;
  std::string path = {};  // of the checkpoint
  std::shared_ptr<const Vocabulary> vocabulary = {};
  std::unique_ptr<Gpt> model = {};
};

// A newest one that is damaged is left out with a sentence; a best one, or a file, that is damaged is an error. Throws
// NoRun (train/run_folder.h) if there is none.
LoadedModel load_run(const std::string& run_or_file, bool best = false,
                     const std::function<void(const std::string&)>& say = {});

// The vocabulary alone, of the newest checkpoint that can be read; bytes if there is none.
std::shared_ptr<const Vocabulary> vocabulary_of_run(const std::string& run);

}  // namespace heed
