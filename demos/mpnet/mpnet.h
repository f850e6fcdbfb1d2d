// The commands of mpnet, one file each, and what they share.
#pragma once

#include <string>
#include <vector>

#include "models/objectives/masked_columns.h"
#include "show/picture.h"
#include "system/command_line.h"

int mask_command(int argc, char** argv);

// A text whose words are its tokens, and in which order they are predicted.
struct MaskExample {
  std::vector<std::string> words;
  heed::Factorisation order;
};

// The likelihood of the predicted words in the three objectives, and who sees whom, as text.
std::string mask_text(const MaskExample& example);
// Content and query stream of the three, as squares.
heed::Picture mask_picture(const MaskExample& example);
std::string mask_svg(const MaskExample& example);
