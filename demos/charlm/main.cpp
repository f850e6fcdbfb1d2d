// charlm: character language models, from a text to a model that writes.
//
//   build/charlm train --data my.txt --run runs/mine       trains; Ctrl-C saves, --resume goes on
//   build/charlm sample --run runs/mine --prompt "The "    writes
//   build/charlm look --run runs/mine --text "some text"   draws who attends to whom
#include "autograd/finite.h"
#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/shell_quoted.h"
#include "train/run_folder.h"

using namespace heed;

int main(int argc, char** argv) {
  const std::vector<Command> commands = {
      {"train", "learn a text, a folder of texts or a sound; --resume goes on", train_command},
      {"sample", "let the model write", sample_command},
      {"eval", "bits per byte on a text", eval_command},
      {"look", "draw the attention maps of the model on your text", look_command},
      {"info", "what a run is and how far it came", info_command},
      {"runs", "all runs of a folder, with their state", runs_command},
      {"compare", "several runs in one chart, and what differs between them", compare_command},
      {"orderings", "train orderings of the sublayers, and draw what they reach", orderings_command},
      {"fetch", "download enwik8 or text8", fetch_command},
      {"demo", "learn heed's own source, as `make demo` does", demo_command},
  };
  const auto body = [&](int count, char** words) {
    try {
      return run_command("charlm", "Character language models: train, sample, look inside.", commands, count, words);
    } catch (const NoRun& error) {  // the library says the rule; how this program does it, it cannot know
      throw Error(std::string(error.what()) + "; `build/charlm train --run " + shell_quoted(error.run()) +
                  "` makes one");
    } catch (const NotFinite& error) {
      throw NotFinite(std::string(error.what()) + " (--lr and --schedule set them)");
    }
  };
  return run("charlm", body, argc, argv);
}
