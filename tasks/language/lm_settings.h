// LmSettings: all that decides what a language-model run computes, and what it writes. The same settings, data and
// version give the same weights, to the bit. They stand in RUN/config.json and in every checkpoint, so that a
// checkpoint alone says what model it is.
//
//   LmSettings s = preset("small");
//   s.attention = "window:left=128";
//   Gpt model(model_options(s));
#pragma once

#include <string>
#include <vector>

#include "models/gpt.h"
#include "tasks/stack_settings.h"
#include "train/train_settings.h"

namespace heed {

struct LmSettings : TrainSettings, StackSettings {
  std::string preset = "small";
  std::string data = {};  // as the user gave it
  long sample_rate = 0;   // of sound; 0: it is text

  // Rows of a batch read on where the step before ended, and the attention remembers what it has read: recurrence over
  // segments. Otherwise every window of text stands alone.
  bool streams = false;

  // what is written on the way; it changes no weight
  long valid_bytes = 65536;  // from the start of the validation data are looked at with every checkpoint
  long sample_bytes = 400;   // of a sample that is written with it; 0: none
};

// Every setting once, with its range and its help. It refers to the members of `s`.
SettingTable table_of(LmSettings& s);

LmSettings preset(const std::string& name);  // tiny, small or base; throws for another
const std::vector<std::string>& preset_names();

// Throws a sentence for whatever cannot be: heads that do not divide the width, a phase longer than the context, ...
void check_settings(const LmSettings& s);

// Rotary if the attention takes them and heads have an even number of channels, otherwise learned, or sinusoid for
// streams, which have no end: for who names none.
std::string usual_positions(const LmSettings& s);

LmSettings with_letters(LmSettings s);  // an ordering that has a name by its letters, as files have it
GptOptions model_options(const LmSettings& s, long V = 256);  // of the model that they describe; V: tokens there are
std::string usual_prompt(
    const LmSettings& s);  // what a sample begins with: a sound with silence, a text with a new line

Json to_json(const LmSettings& s);
// What an older file lacks has its default. A name that no setting has is an error; `from` is the file, for the errors.
LmSettings settings_from_json(const Json& json, const std::string& from);

}  // namespace heed
