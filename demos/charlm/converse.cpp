// What `charlm sample` does at a terminal: the user types, the model goes on.
#include <iostream>
#include <string>
#include <string_view>

#include "demos/charlm/charlm.h"
#include "tasks/language/text_sampler.h"

using namespace heed;

namespace {

// Shows what the model writes behind the text as it is written, and adds it.
void go_on(std::string& text, const LoadedModel& loaded, const SampleOptions& options) {
  const std::string prompt = text;
  sample_texts(*loaded.model, *loaded.vocabulary, {prompt}, options, [&](long, std::string_view bytes) {
    text += bytes;
    std::cout << bytes << std::flush;
    return std::cout.good();
  });
  std::cout << "\n\n" << std::flush;
}

}  // namespace

int converse(const LoadedModel& loaded, SampleOptions options) {
  options.stream = loaded.settings.streams;
  std::cout
      << "step " << loaded.step << " of " << loaded.settings.data
      << ". Type how a text begins, and the model goes on; an empty line: on with the same text; Ctrl-D ends.\n\n> "
      << std::flush;
  std::string text;
  for (std::string typed; std::getline(std::cin, typed); std::cout << "> " << std::flush) {
    if (!typed.empty()) std::cout << (text = typed);
    go_on(text, loaded, options);
    options.seed++;  // the same beginning goes on in another way
  }
  std::cout << std::endl;
  return 0;
}
