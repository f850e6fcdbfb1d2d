// The attention maps of a model on the user's text: a picture for every layer, and a page on which the mouse shows what
// each byte, or token, looks at.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "autograd/finite.h"
#include "demos/charlm/charlm.h"
#include "show/attention_page.h"
#include "show/attention_picture.h"
#include "show/characters.h"
#include "system/error.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "train/run_page.h"

using namespace heed;

namespace {

constexpr long kMostTokens = 256;

// The weights of the first and only sequence of the batch: (H, T, T) for each layer.
std::vector<Tensor> maps_of(const LoadedModel& loaded, const std::vector<int64_t>& ids) {
  Context ctx;
  std::vector<Tensor> maps;
  for (const std::vector<Look>& layer : loaded.model->looks(from_vector(ids, {1, long(ids.size())}), ctx))
    for (const Look& look : layer)
      if (look.name == "weights") maps.push_back(select(look.value, 0, 0));
  for (size_t i = 0; i < maps.size(); i++)
    HEED_CHECK(all_finite(maps[i]), "look", "the attention of layer ", i + 1, " of ", loaded.path,
               " is not a finite number: there is nothing to draw. Take an older checkpoint");
  return maps;
}

std::vector<std::string> tokens_of(const Vocabulary& vocabulary, const std::vector<int64_t>& ids) {
  std::vector<std::string> tokens;
  for (const int64_t id : ids) tokens.emplace_back(vocabulary.bytes(id));
  return tokens;
}

// A picture of every layer, and the page that shows them all.
void write_maps(const std::string& folder, const std::vector<std::string>& tokens, Page page,
                const std::vector<Tensor>& maps) {
  const Characters characters = characters_of(tokens);
  page.section("Pictures");
  for (size_t i = 0; i < maps.size(); i++) {
    const std::string title = format("layer %zu", i + 1), file = format("layer-%02zu.png", i + 1);
    draw_attention(grouped(maps[i], characters),
                   {.title = title, .subtitle = one_character_each(joined(tokens, "")), .strength = true})
        .write_png(folder + "/" + file);
    page.fold(title, false, [&] { page.image(file, "the attention maps of " + title); });
  }
  write_file(folder + "/index.html", page.html());
}

}  // namespace

int look_command(int argc, char** argv) {
  ModelChoice choice;
  std::string text = "The quick brown fox jumps over the lazy dog. The quick brown fox", out;
  CommandLine line("charlm look", "Draws what every head of every layer looks at, on a text of yours.");
  choice.add_options(line);
  line.option("--text", text, "the text");
  line.option("--out", out, "the folder for the pictures; RUN/look if nothing is said");
  if (!line.parse(argc, argv)) return line.exit_code();
  const LoadedModel loaded = choice.load();
  const long most = std::min(kMostTokens, loaded.settings.context);
  HEED_CHECK(!text.empty(), "look", "the text is empty; give one with --text");
  const std::vector<int64_t> ids = loaded.vocabulary->ids(text);
  HEED_CHECK(long(ids.size()) <= most, "look", "the text has ", ids.size(), " ", loaded.vocabulary->units(),
             "; at most ", most, " can be drawn with this model");
  const bool folder = std::filesystem::is_directory(choice.run);
  if (out.empty()) out = folder ? RunFolder(choice.run).file("look") : "runs/look";
  const std::vector<Tensor> maps = maps_of(loaded, ids);
  const std::vector<std::string> tokens = tokens_of(*loaded.vocabulary, ids);
  write_maps(out, tokens, attention_page(tokens, loaded.vocabulary->unit(), maps), maps);
  if (folder) write_page(RunFolder(choice.run), page_of(choice.run, loaded.settings));
  std::printf("%zu layers drawn: %s/layer-01.png ...\nthe page is %s/index.html\n", maps.size(), out.c_str(),
              out.c_str());
  return 0;
}
