// classify: learns to tell the labels of texts, from bytes.
//
//   build/classify train --data reviews.csv --run runs/mine    trains; Ctrl-C saves, --resume goes on
//   build/classify train                                       generated ListOps
//   build/classify eval --run runs/mine --split test           the accuracy, and what is taken for what
#include "autograd/finite.h"
#include "demos/classify/classify.h"
#include "system/error.h"
#include "system/shell_quoted.h"
#include "train/run_folder.h"

using namespace heed;

int main(int argc, char** argv) {
  const std::vector<Command> commands = {
      {"train", "learn a table of labels and texts, or generated ListOps; --resume goes on", train_command},
      {"eval", "the accuracy on a part of the texts, and what is taken for what", eval_command},
      {"info", "what a run is and how far it came", info_command},
  };
  const auto body = [&](int count, char** words) {
    try {
      return run_command("classify", "Classifiers of texts: train, evaluate.", commands, count, words);
    } catch (const NoRun& error) {  // the library says the rule; how this program does it, it cannot know
      throw Error(std::string(error.what()) + "; `build/classify train --run " + shell_quoted(error.run()) +
                  "` makes one");
    } catch (const NotFinite& error) {
      throw NotFinite(std::string(error.what()) + " (--lr and --schedule set them)");
    }
  };
  return run("classify", body, argc, argv);
}
