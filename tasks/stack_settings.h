// StackSettings: the part of a task's settings that describes a stack of sublayers (models/stack.h), whatever it reads.
// A task's own settings have one of these beside TrainSettings, and put its rows into their table.
#pragma once

#include <string>

#include "models/stack.h"
#include "train/train_settings.h"

namespace heed {

struct StackSettings {
  std::string attention = "full";
  std::string ordering = {};  // of s and f, or a name with the layers (models/orderings.h); empty: sf for every layer
  long layers = 4, width = 256, heads = 4, context = 512;
  std::string positions = "rotary";  // models/token_input.h
  double dropout = 0;                // of every branch and of the attention weights

  bool recompute_blocks = false, reversible = false;  // to need less memory, and so
  long feed_forward_chunks = 1;
};

// Rows for a table of settings. They refer to the members of `s`. token: what the model reads, in the singular: "byte"
SettingTable stack_rows(StackSettings& s, const std::string& token);
// The same without context and positions, for a task that has its own: those before them, and those behind.
SettingTable stack_size_rows(StackSettings& s);
SettingTable stack_memory_rows(StackSettings& s);

// Throws a sentence for what cannot be together: heads that do not divide the width, an ordering without attention,
// a reversible stack of an odd number of sublayers or with recompute_blocks; check_stack also for a phase of the
// schedule that is longer than the context.
void check_stack_sizes(const StackSettings& s);
void check_stack(const StackSettings& s, const Schedule& schedule);

std::vector<std::string> attention_specs(const StackSettings& s);  // of every s, in their order

std::string ordering_of(const StackSettings& s);  // its letters, "sfsf", also if only layers are given
// Do queries and keys of every attention take rotary positions, in heads of an even number of channels?
bool takes_rotary(const StackSettings& s);
StackOptions stack_options(const StackSettings& s);

}  // namespace heed
