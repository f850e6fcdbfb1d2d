// Programs of several commands; see command_line.h.
#include <cstdio>
#include <iostream>

#include "system/command_line.h"
#include "system/nearest.h"
#include "system/version.h"

namespace heed {
namespace {

void print_commands(const std::string& program, const std::string& description, const std::vector<Command>& commands) {
  std::cout << description << "\nUsage: " << program << " COMMAND [OPTIONS]\n\n";
  size_t widest = 0;
  for (const Command& c : commands) widest = std::max(widest, c.name.size());
  for (const Command& c : commands)
    std::cout << "  " << c.name << std::string(widest + 2 - c.name.size(), ' ') << c.help << "\n";
  std::cout << "\n" << program << " COMMAND --help shows the options of one.\n";
}

}  // namespace

int run_command(const std::string& program, const std::string& description, const std::vector<Command>& commands,
                int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "--help";
  if (wanted == "--help" || wanted == "-h" || wanted == "help") {
    print_commands(program, description, commands);
    return argc > 1 ? 0 : 2;
  }
  if (wanted == "--version") {
    std::cout << program << " (heed) " << version() << "\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& c : commands) {
    if (c.name == wanted) return c.body(argc - 1, argv + 1);
    names.push_back(c.name);
  }
  const std::string nearest = nearest_name(wanted, names);
  std::cerr << program << ": there is no command \"" << wanted << "\""
            << (nearest.empty() ? "" : "; did you mean " + nearest + "?") << "\n"
            << program << " --help lists the commands\n";
  return 2;
}

}  // namespace heed
