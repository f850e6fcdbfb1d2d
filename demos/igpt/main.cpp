// igpt: pictures as sequences of pixels, from a folder of pictures to a model that draws.
//
//   build/igpt train --data photos --size 32 --run runs/mine    trains; Ctrl-C saves, --resume goes on
//   build/igpt train                                            Fashion-MNIST where it is installed, or shapes
//   build/igpt sample --run runs/mine --count 100               draws
//   build/igpt complete --run runs/mine                         goes on from upper halves
//   build/igpt probe --run runs/mine                            what its layers know of labels that it was never told
#include "autograd/finite.h"
#include "demos/igpt/igpt.h"
#include "system/error.h"
#include "system/shell_quoted.h"
#include "train/run_folder.h"

using namespace heed;

int main(int argc, char** argv) {
  const std::vector<Command> commands = {
      {"train", "learn pictures; --resume goes on", train_command},
      {"sample", "draw pictures", sample_command},
      {"complete", "draw the lower halves of pictures, beside the originals", complete_command},
      {"probe", "what every layer knows of the labels, by logistic regression", probe_command},
      {"palette", "draw the colours of a run, or those that pictures would have", palette_command},
      {"info", "what a run is and how far it came", info_command},
      {"demo", "learn Fashion-MNIST, or shapes, as `make demo` does", demo_command},
  };
  const auto body = [&](int count, char** words) {
    try {
      return run_command("igpt", "Pictures as sequences of pixels: train, draw, complete, probe.", commands, count,
                         words);
    } catch (const NoRun& error) {  // the library says the rule; how this program does it, it cannot know
      throw Error(std::string(error.what()) + "; `build/igpt train --run " + shell_quoted(error.run()) + "` makes one");
    } catch (const NotFinite& error) {
      throw NotFinite(std::string(error.what()) + " (--lr and --schedule set them)");
    }
  };
  return run("igpt", body, argc, argv);
}
