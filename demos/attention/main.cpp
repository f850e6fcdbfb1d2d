// attention: the attention variants that there are, and pictures of them.
//
//   build/attention list                              what there is, what it costs, what it honours and refuses
//   build/attention list window                       one of them
//   build/attention show window:left=8 --causal       draws which pairs it connects
//   build/attention show full:bias=alibi --weights    draws how strongly
//   build/attention atlas                             a page for each, with what was tested and measured: `make atlas`
#include "demos/attention/attention.h"
#include "system/command_line.h"

using namespace heed;

int main(int argc, char** argv) {
  const std::vector<Command> commands = {
      {"list", "what there is, what it costs, what it honours and refuses", list_command},
      {"show", "draw which keys each query of a variant sees", show_command},
      {"atlas", "write a page for each variant, and a poster of all", atlas_command},
  };
  const auto body = [&](int count, char** words) {
    return run_command("attention", "Lists the attention variants, draws one, or writes an atlas of all.", commands,
                       count, words);
  };
  return run("attention", body, argc, argv);
}
