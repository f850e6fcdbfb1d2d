// charlm fetch: the usual benchmark texts, downloaded and checked.
#include "data/fetch.h"
#include "demos/charlm/charlm.h"
#include "system/error.h"
#include "system/progress.h"
#include "system/shell_quoted.h"

using namespace heed;

int fetch_command(int argc, char** argv) {
  std::vector<std::string> words;
  FetchOptions options;
  CommandLine line("charlm fetch", "Downloads enwik8 or text8 and checks it: charlm fetch enwik8 data");
  line.words("NAME DIR", words, "enwik8 or text8, and the folder to put it into");
  line.option("--from", options.base_url, "another place that has NAME.zip, such as file:///media/usb");
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(words.size() == 2, "fetch", words.size(),
             " words were given; it takes a name and a folder, such as: ", "charlm fetch enwik8 data");
  const std::string path = fetch_data(words[0], words[1], print_line, options);
  print_line("learn it with: build/charlm train --data " + shell_quoted(path) + " --run runs/" + words[0]);
  return 0;
}
