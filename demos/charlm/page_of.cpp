// What the page of a run says about charlm.
#include "demos/charlm/charlm.h"
#include "system/shell_quoted.h"

using namespace heed;

RunPage page_of(const std::string& run, const LmSettings& settings) {
  const bool sound = settings.sample_rate > 0;
  const std::string learned = settings.data == "self" ? "heed's own source and docs" : settings.data;
  RunPage page{.about =
                   (sound ? "a model of sound by heed, learning " : "a character language model by heed, learning ") +
                   learned};
  page.commands = {"build/charlm train --run " + shell_quoted(run) + " --resume      # longer: --steps N",
                   "build/charlm sample --run " + shell_quoted(run) +
                       (sound ? " --length 40000 --out sound.wav" : " --prompt \"The \""),
                   "build/charlm eval --run " + shell_quoted(run) + " --split test"};
  if (!sound)
    page.commands.push_back("build/charlm look --run " + shell_quoted(run) + " --text \"some text of yours\"");
  page.links = {{"Attention", "look/index.html", "The maps of every layer and head"}};
  return page;
}
