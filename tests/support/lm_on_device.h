// A small language model in training, here or on another device.
#pragma once

#include "tasks/language/language_task.h"
#include "tests/support/tiny_lm.h"
#include "train/trainer.h"

struct LmOnDevice {
  heed::LanguageTask task;
  heed::Trainer trainer;

  LmOnDevice(const heed::LmSettings& s, const std::vector<std::string>& texts, heed::Device device)
      : task(s, split_of(texts)), trainer(moved(task, device)) {}

  static heed::Task& moved(heed::LanguageTask& task, heed::Device device) {
    task.model().move_to(device);
    return task;
  }
};
