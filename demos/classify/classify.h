// The commands of classify, one file each, and what they share.
#pragma once

#include "system/command_line.h"

int train_command(int argc, char** argv);
int eval_command(int argc, char** argv);
int info_command(int argc, char** argv);

inline constexpr const char* kUsualRun = "runs/classify";
