// A trainer of a language model that has its task with it.
#pragma once

#include "tasks/language/language_task.h"
#include "train/trainer.h"

struct HasTask {
  HasTask(const heed::LmSettings& settings, const heed::ByteSplit& train) : own_task(settings, train) {}
  heed::LanguageTask own_task;
};

class LmTrainer : private HasTask, public heed::Trainer {
 public:
  LmTrainer(const heed::LmSettings& settings, const heed::ByteSplit& train)
      : HasTask(settings, train), Trainer(own_task) {}
  heed::Gpt& model() { return own_task.model(); }
};
