// mpnet: encoders that learn texts by predicting some of their tokens: MLM (BERT), PLM (XLNet) and both at once, MPNet.
//
//   build/mpnet mask --text "the task is sentence classification"    what the three predict from what
#include "autograd/finite.h"
#include "demos/mpnet/mpnet.h"
#include "system/error.h"
#include "system/shell_quoted.h"
#include "train/run_folder.h"

using namespace heed;

int main(int argc, char** argv) {
  const std::vector<Command> commands = {
      {"mask", "show a text in the three objectives: what is predicted from what", mask_command},
  };
  const auto body = [&](int count, char** words) {
    try {
      return run_command("mpnet", "Masked and permuted language models.", commands, count, words);
    } catch (const NoRun& error) {  // the library says the rule; how this program does it, it cannot know
      throw Error(std::string(error.what()) + "; `build/mpnet train --run " + shell_quoted(error.run()) +
                  "` makes one");
    } catch (const NotFinite& error) {
      throw NotFinite(std::string(error.what()) + " (--lr and --schedule set them)");
    }
  };
  return run("mpnet", body, argc, argv);
}
