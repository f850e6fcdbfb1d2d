// The commands of igpt, one file each, and what they share.
#pragma once

#include <string>

#include "models/sampler.h"
#include "show/mosaic.h"
#include "system/command_line.h"
#include "tasks/image/image_run_load.h"
#include "tasks/image/image_task.h"
#include "train/run_page.h"

int train_command(int argc, char** argv);
int sample_command(int argc, char** argv);
int complete_command(int argc, char** argv);
int probe_command(int argc, char** argv);
int palette_command(int argc, char** argv);
int info_command(int argc, char** argv);
int demo_command(int argc, char** argv);

inline constexpr const char* kUsualRun = "runs/igpt";

// What the page of a run says about igpt: what the model is, and which commands go on with it.
heed::RunPage page_of(const std::string& run, const heed::ImageSettings& settings);

// --run and --best
struct ModelChoice {
  std::string run = kUsualRun;
  bool best = false;
  void add_options(heed::CommandLine& line);
  heed::LoadedIgpt load() const;  // says on stderr what it leaves out
  // Beside the run's page, or in this folder for a checkpoint alone
  std::string file(const std::string& name) const;
  void show(const heed::ImageSettings& settings) const;  // writes the run's page anew, with what was drawn
};

// --data: other pictures than those the run has learned. If it is empty, and those have changed, it says so on stderr.
heed::ImageData pictures_of(const heed::LoadedIgpt& loaded, const std::string& data);
const heed::Images& part_of(const heed::ImageData& data, const std::string& split);

// Throws, before anything is drawn, if so many pictures of the model are more than a PNG file of ours can be.
void check_fits(const heed::LoadedIgpt& loaded, long count, const heed::MosaicOptions& mosaic,
                const std::string& options);  // that make it smaller: "--count or --scale"

// What --colours is if nothing is said (usual_colours), for its help
std::string usual_colours_help();

// --temperature, --top-k, --top-p and --seed
struct SampleChoice {
  heed::SampleOptions options = {};
  long seed = 1;
  void add_options(heed::CommandLine& line);
  heed::SampleOptions chosen() const;  // after parsing
};

// Lower halves of pictures by the model, `each` of them for one; a row has the original, what is kept, and those.
struct Completions {
  long count = 8, each = 4;
  double keep = 0.5;  // of the pixels
};
heed::Picture completed(const heed::LoadedIgpt& loaded, const heed::Images& images, const Completions& options,
                        const heed::SampleOptions& sample);
