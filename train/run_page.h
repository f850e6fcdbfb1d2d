// The page of a run: RUN/index.html with the loss curve, samples and settings, and loss.svg and loss.png beside it.
//
//   write_page(run, {.about = "a language model, learning enwik8", .commands = {"build/charlm eval --run runs/mine"}});
#pragma once

#include <string>
#include <vector>

#include "show/chart.h"
#include "show/page.h"
#include "train/run_folder.h"
#include "train/score.h"

namespace heed {

// What a run cannot know by itself.
struct RunPage {
  struct Link {
    std::string title, file, text;  // the file is beside the page; a PNG is shown on it
  };
  std::string about = {};                  // a line below the title
  std::vector<std::string> notes = {};     // sentences that stand above all, such as: there is very little to learn
  std::vector<std::string> commands = {};  // what can be typed to go on
  std::vector<Link> links = {};            // shown as soon as their files are there
  Score score = {};
  bool running = false;                  // the page reloads itself, and says so
  std::function<void(Page&)> more = {};  // what the task adds, above the settings
};

void write_page(const RunFolder& run, const RunPage& page = {});

void add_settings(Page& page, const Json& settings);  // a section with a table of them

// Several runs in one chart: the score on validation data by step, or by seconds of training.
Chart comparison(const std::vector<RunFolder>& runs, const std::string& x, const Score& score = {});

}  // namespace heed
