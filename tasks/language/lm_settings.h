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
#include "train/schedule.h"
#include "train/settings.h"

namespace heed {

struct LmSettings {
  std::string preset = "small";
  std::string data = {};  // as the user gave it
  long sample_rate = 0;   // of sound; 0: it is text

  // the model
  std::string attention = "full";
  std::string ordering = {};  // of s and f, or a name with the layers (models/orderings.h); empty: sf for every layer
  long layers = 4, width = 256, heads = 4, context = 512;
  std::string positions = "rotary";  // models/token_input.h
  double dropout = 0;                // of every branch and of the attention weights

  // the training
  long batch = 8, micro_batch = 0;  // micro_batch 0: the whole batch at once
  long steps = 2000;
  double rate = 1e-3;
  double floor = 0.1;               // of the rate at the end of a cosine or a line, as a part of it
  std::string schedule = "cosine";  // train/schedule.h; a single phase warms up for a tenth of it, at most 100 steps
  std::string optimiser = "adamw";
  double beta2 = 0.98;  // of adamw and adam: how much of the squared gradients is remembered
  double weight_decay = 0.1, clip = 1;
  std::string dtype = "f32";  // bf16: products of rounded numbers; weights stay f32
  bool recompute_blocks = false, reversible = false;
  long feed_forward_chunks = 1;
  long seed = 1;

  // what is written on the way; it changes no weight
  long checkpoint_every = 0;  // steps; 0: a tenth of the run, at most 1000
  long keep = 2;              // checkpoints, besides the best
  long valid_bytes = 65536;   // from the start of the validation data are looked at with every checkpoint
  long sample_bytes = 400;    // of a sample that is written with it; 0: none
};

// Every setting once, with its range and its help. It refers to the members of `s`.
SettingTable table_of(LmSettings& s);

LmSettings preset(const std::string& name);  // tiny, small or base; throws for another
const std::vector<std::string>& preset_names();

// Throws a sentence for whatever cannot be: heads that do not divide the width, a phase longer than the context, ...
void check_settings(const LmSettings& s);

// Rotary if the attention takes them and heads have an even number of channels, otherwise learned: for who names none.
std::string usual_positions(const LmSettings& s);

std::string ordering_of(const LmSettings& s);   // its letters, "sfsf", also if only layers are given
LmSettings with_letters(LmSettings s);          // an ordering that has a name by its letters, as files have it
GptOptions model_options(const LmSettings& s);  // of the model that they describe
Schedule schedule_of(const LmSettings& s);      // of the learning rate and of phases
long micro_batch_of(const LmSettings& s);       // rows at a time: 1..batch
std::string usual_prompt(
    const LmSettings& s);  // what a sample begins with: a sound with silence, a text with a new line

Json to_json(const LmSettings& s);
// What an older file lacks has its default. A name that no setting has is an error; `from` is the file, for the errors.
LmSettings settings_from_json(const Json& json, const std::string& from);

// What differs, for people: "steps 1000 -> 2000", in the order of the settings.
std::vector<std::string> differences(const LmSettings& before, const LmSettings& now);

}  // namespace heed
