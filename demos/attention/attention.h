// The parts of `attention`: a command a file, and what they share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nn/mixing/registry.h"

int list_command(int argc, char** argv);
int show_command(int argc, char** argv);
int atlas_command(int argc, char** argv);

// ---- what a variant can, in words

heed::Capabilities capabilities(const std::string& spec);
std::string remarks(const heed::Capabilities& can);   // what a table of capabilities leaves out; "": nothing
std::string refusals(const heed::Capabilities& can);  // "windows, ranges: keys are added up before a query asks"

// The columns of an overview: parts of a mask first, then what else it can.
struct Column {
  const char* title;
  bool heed::Capabilities::*has;
};
const std::vector<Column>& overview_columns();

// ---- what it looks at

heed::Grid grid_for(const std::string& spec, long length);  // as square as can be; none if the spec has its own

struct Drawn {
  std::string spec;
  long length = 64, heads = 2, seed = 1;
  bool causal = false;
  long layer = 0, layers = 1;
};
// (H, T, S) of a mixer with random parameters on random tokens. In f64: a weight of 0 then is a pair that is not
// visible, and not one that is too small for a float. Variants of images get a grid that is as square as can be.
heed::Tensor drawn_weights(const Drawn& drawn);

std::string file_name(const std::string& spec);  // "window:left=8" -> "window-left-8"
