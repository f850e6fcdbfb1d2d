// charlm: character language models, from a text to a model that writes.
//
//   build/charlm train --data my.txt --run runs/mine       trains; Ctrl-C saves, --resume goes on
//   build/charlm sample --run runs/mine --prompt "The "    writes
//   build/charlm look --run runs/mine --text "some text"   draws who attends to whom
#include <cstdio>
#include <filesystem>

#include "autograd/finite.h"
#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "train/run_folder.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

// The sources stand in the folder above the program's own (build/charlm), or in the current one.
fs::path own_source() {
  std::error_code none;
  for (const fs::path& place : {fs::read_symlink("/proc/self/exe", none).parent_path().parent_path(), fs::path(".")})
    if (fs::exists(place / "tensor/tensor.h", none) && fs::exists(place / "README.md", none)) return place;
  fail("charlm", "heed's own source is not beside this program; give a text to learn: --data FILE");
}

}  // namespace

ByteData open_data(const std::string& data) {
  if (data != "self") return ByteData::open(data);
  std::vector<std::string> paths;
  const fs::path root = own_source();
  for (const char* part : {"README.md", "CONTRIBUTING.md", "docs", "system", "tensor", "comm", "autograd", "nn",
                           "attention", "models", "data", "show", "train", "tasks", "demos", "bench", "tests"})
    if (fs::exists(root / part)) paths.push_back((root / part).string());
  return ByteData::open(paths);
}

void ModelChoice::add_options(CommandLine& line) {
  line.option("--run", run, "the run folder, or the file of a checkpoint");
  line.flag("--best", best, "the checkpoint with the best validation, in place of the newest");
}

LoadedModel ModelChoice::load() const {
  return load_run(run, best, [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); });
}

int main(int argc, char** argv) {
  const std::vector<Command> commands = {
      {"train", "learn a text, a folder of texts or a sound; --resume goes on", train_command},
      {"sample", "let the model write", sample_command},
      {"eval", "bits per byte on a text", eval_command},
      {"look", "draw the attention maps of the model on your text", look_command},
      {"info", "what a run is and how far it came", info_command},
      {"compare", "several runs in one chart", compare_command},
      {"fetch", "download enwik8 or text8", fetch_command},
      {"demo", "learn heed's own source, as `make demo` does", demo_command},
  };
  const auto body = [&](int count, char** words) {
    try {
      return run_command("charlm", "Character language models: train, sample, look inside.", commands, count, words);
    } catch (const NoRun& error) {  // the library says the rule; how this program does it, it cannot know
      throw Error(std::string(error.what()) + "; `build/charlm train --run " + error.run() + "` makes one");
    } catch (const NotFinite& error) {
      throw NotFinite(std::string(error.what()) + " (--lr and --schedule set them)");
    }
  };
  return run("charlm", body, argc, argv);
}
