// CommandLine: the options of a program. --help (with the defaults), --version and the options that every program has
// (CommonOption, below) come by themselves; a mistyped option or a bad value is answered by a sentence. Nothing throws
// or exits behind the program's back.
//
//   int body(int argc, char** argv) {
//     long steps = 2000;  bool quick = false;
//     CommandLine line("spirals", "Trains a small network on two spirals and draws what it learned.");
//     line.option("--steps", steps, "training steps", 1, 1'000'000);
//     line.flag("--quick", quick, "a short run");
//     if (!line.parse(argc, argv)) return line.exit_code();
//     ...
//   }
//   int main(int argc, char** argv) { return run("spirals", body, argc, argv); }
#pragma once

#include <cfloat>
#include <climits>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "system/registry.h"

namespace heed {

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // The variable's value is the default. Values outside of low..high are refused, and so are NaN and infinity.
  void option(const std::string& name, long& value, const std::string& help, long low = LONG_MIN, long high = LONG_MAX);
  void option(const std::string& name, int& value, const std::string& help, int low = INT_MIN, int high = INT_MAX);
  void option(const std::string& name, double& value, const std::string& help, double low = -DBL_MAX,
              double high = DBL_MAX);
  // Any text, or one of the choices if there are some.
  void option(const std::string& name, std::string& value, const std::string& help,
              const std::vector<std::string>& choices = {});
  void flag(const std::string& name, bool& value, const std::string& help);  // true when it is given
  // A word that stands without an option, one of the choices (none: any text): what the program is to do. It may be
  // left away, and there is at most one. The name is for the help: "benchmark".
  void word(const std::string& name, std::string& value, const std::string& help,
            const std::vector<std::string>& choices);
  // In place of a word any number of them: files to read.
  void words(const std::string& name, std::vector<std::string>& values, const std::string& help);

  // Names by which users of other programs look for an option: --learning-rate is answered by "did you mean --lr?".
  // Underscores are as good as hyphens. Options that are not there are left out.
  void also_called(const std::string& option, const std::vector<std::string>& names);
  // What a word that belongs to no option is meant for: `train my.txt` is answered by "did you mean --data my.txt?".
  void word_is_for(const std::string& option);

  // Options that many programs have, so that they are the same everywhere.
  void seed(long& value, const std::string& help);  // --seed N: "another seed, other weights"
  void json(bool& value);                           // --json: for programs in place of people

  // False when there is nothing left to do: the help was printed (exit code 0), or what is wrong (exit code 2). An
  // option that is given twice counts as given last.
  bool parse(int argc, const char* const* argv);
  int exit_code() const;
  bool given(const std::string& name) const;  // did the user type this option? After parse.

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

inline constexpr long kMaxSeed = 4294967295;  // seeds have 32 bits

// An option of every program. It comes from whoever understands it (system/parallel: --threads, tensor/profile:
// --profile), as a static object: const RegisteredCommonOption threads_option{{"--threads", declare, parsed}};
struct CommonOption {
  std::string name;
  void (*declare)(CommandLine& line);  // line.option or line.flag with a static variable, set to its default again
  void (*parsed)() = nullptr;          // the command line was right: act on what the variable says
  void (*at_end)() = nullptr;          // of run(), behind all that the program printed, also if it failed
};
inline constinit Registry<CommonOption> common_options{"CommandLine", "common option"};
using RegisteredCommonOption = Registration<common_options>;

// A program of several commands: `charlm train ...`. Each command has a command line of its own, for which the program
// is called "charlm train".
struct Command {
  std::string name, help;
  std::function<int(int, char**)> body;
};
// The body of such a program: finds the command and hands the rest on. Without one, or with --help, lists them all.
int run_command(const std::string& program, const std::string& description, const std::vector<Command>& commands,
                int argc, char** argv);

// Calls the body. What it throws ends as "spirals: <what happened>" on stderr and exit code 1, and so does output that
// stdout did not take (a full disk). What common options do at the end (--profile prints its table) comes behind that.
int run(const std::string& program, const std::function<int(int, char**)>& body, int argc, char** argv);

}  // namespace heed
