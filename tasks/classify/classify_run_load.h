// The classifier of a run as its newest checkpoint has it (or its best; or a file of one), and the names of its labels.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/classifier.h"
#include "tasks/classify/classify_settings.h"

namespace heed {

struct LoadedClassifier {
  ClassifySettings settings = {};  // their data is empty if the file of a checkpoint has left its run
  long step = 0;
  std::string path = {};  // of the checkpoint
  std::vector<std::string> labels = {};
  std::unique_ptr<Classifier> model = {};
};

LoadedClassifier load_classifier(const std::string& run_or_file, bool best = false,
                                 const std::function<void(const std::string&)>& say = {});  // as find_checkpoint

}  // namespace heed
