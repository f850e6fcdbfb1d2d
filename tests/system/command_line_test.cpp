#include "system/command_line.h"

#include <iostream>
#include <new>
#include <sstream>
#include <vector>

#include "system/error.h"
#include "system/version.h"
#include "tests/support/captured.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(command_line_test)

namespace {

struct Outcome {
  bool go_on = false;
  int code = 0;
  std::string out, err;
  long steps = 2000;
  int workers = 2;
  double rate = 0.001;
  std::string path = "a.png", activation = "tanh";
  bool quick = false;
};

Outcome parse(std::vector<const char*> arguments) {
  Outcome o;
  const Captured out(std::cout), err(std::cerr);
  CommandLine line("spirals", "Trains a small network.");
  line.option("--steps", o.steps, "training steps", 1, 1'000'000);
  line.option("--workers", o.workers, "workers", 1);
  line.option("--rate", o.rate, "learning rate", 0.0, 1.0);
  line.option("--out", o.path, "picture to write");
  line.option("--activation", o.activation, "of the hidden layers", {"tanh", "gelu"});
  line.flag("--quick", o.quick, "a short run");
  arguments.insert(arguments.begin(), "spirals");
  o.go_on = line.parse(int(arguments.size()), arguments.data());
  o.code = line.exit_code();
  o.out = out.text.str();
  o.err = err.text.str();
  return o;
}

// The first line on stderr of a command line that is refused, with exit code 2.
std::string complaint(std::vector<const char*> arguments) {
  const Outcome o = parse(std::move(arguments));
  BOOST_TEST(!o.go_on);
  BOOST_TEST(o.code == 2);
  BOOST_TEST(o.out == "");
  BOOST_TEST(o.err.ends_with("\nspirals --help shows all options\n"));
  return o.err.substr(0, o.err.find('\n'));
}

int run_throwing(std::string& err, int (*body)(int, char**)) {
  const Captured captured(std::cerr);
  const int code = run("spirals", body, 0, nullptr);
  err = captured.text.str();
  return code;
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_options_the_defaults_stay) {
  const Outcome o = parse({});
  BOOST_TEST(o.go_on);
  BOOST_TEST((o.steps == 2000 && o.workers == 2 && o.rate == 0.001 && o.path == "a.png" && !o.quick));
}

BOOST_AUTO_TEST_CASE(values_stand_behind_a_blank_or_an_equals_sign) {
  const Outcome o =
      parse({"--steps=70", "--workers", "3", "--rate", "1e-2", "--out", "b c/-d.png", "--activation=gelu", "--quick"});
  BOOST_TEST(o.go_on);
  BOOST_TEST((o.steps == 70 && o.workers == 3 && o.rate == 1e-2 && o.path == "b c/-d.png" && o.quick));
  BOOST_TEST(o.activation == "gelu");
}

BOOST_AUTO_TEST_CASE(an_option_given_twice_counts_as_given_last) {
  const Outcome o = parse({"--steps", "5", "--quick", "--steps=6", "--quick"});
  BOOST_TEST(o.go_on);
  BOOST_TEST(o.steps == 6);
}

BOOST_AUTO_TEST_CASE(help_shows_the_options_with_ranges_and_defaults) {
  for (const char* help : {"--help", "-h"}) {
    const Outcome o = parse({help});
    BOOST_TEST(!o.go_on);
    BOOST_TEST(o.code == 0);
    BOOST_TEST(o.err == "");
    for (const char* part : {"Trains a small network.", "--steps N", "training steps, from 1 to 1000000 (2000)",
                             "workers, of at least 1 (2)", "of the hidden layers: tanh or gelu (tanh)", "--quick"})
      BOOST_TEST((o.out.find(part) != std::string::npos), part << " is not in " << o.out);
  }
}

BOOST_AUTO_TEST_CASE(version_names_program_and_engine) {
  const Outcome o = parse({"--version"});
  BOOST_TEST(!o.go_on);
  BOOST_TEST(o.code == 0);
  BOOST_TEST(o.out == std::string("spirals (heed) ") + version() + "\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_option_is_answered_with_the_nearest_one) {
  BOOST_TEST(complaint({"--stpes", "5"}) == "spirals: unknown option --stpes; did you mean --steps?");
  BOOST_TEST(complaint({"--step=5"}) == "spirals: unknown option --step; did you mean --steps?");
  BOOST_TEST(complaint({"-steps", "5"}) == "spirals: unknown option -steps; did you mean --steps?");
  BOOST_TEST(complaint({"--act=gelu"}) == "spirals: unknown option --act; did you mean --activation?");
  BOOST_TEST(complaint({"--something-else"}) == "spirals: unknown option --something-else");
  BOOST_TEST(complaint({"-x"}) == "spirals: unknown option -x");
}

BOOST_AUTO_TEST_CASE(words_without_an_option_are_refused) {
  BOOST_TEST(complaint({"steps"}) == "spirals: \"steps\" belongs to no option; did you mean --steps?");
  BOOST_TEST(complaint({"5"}) == "spirals: \"5\" belongs to no option");
  BOOST_TEST(complaint({"--"}) == "spirals: \"--\" belongs to no option");
}

BOOST_AUTO_TEST_CASE(bad_values_are_told_with_the_rule) {
  const std::string steps = "; it must be a whole number from 1 to 1000000";
  for (const char* bad : {"0", "1000001", "many", "1.5", "12x", "99999999999999999999", " 3"})
    BOOST_TEST(complaint({"--steps", bad}) == "spirals: --steps is \"" + std::string(bad) + "\"" + steps);
  for (const char* bad : {"-1", "2", "nan", "inf", "1e999", "0.1.2"})
    BOOST_TEST(complaint({"--rate", bad}) ==
               "spirals: --rate is \"" + std::string(bad) + "\"; it must be a number from 0 to 1");
  BOOST_TEST(complaint({"--workers=0"}) == "spirals: --workers is \"0\"; it must be a whole number of at least 1");
  BOOST_TEST(complaint({"--activation", "tahn"}) ==
             "spirals: --activation is \"tahn\"; it must be one of tanh, gelu; did you mean tanh?");
}

BOOST_AUTO_TEST_CASE(a_missing_value_is_noticed) {
  BOOST_TEST(complaint({"--steps"}) == "spirals: --steps needs a value behind it");
  BOOST_TEST(complaint({"--out="}) == "spirals: --out needs a value behind it");
  BOOST_TEST(complaint({"--out", "--quick"}) == "spirals: --out needs a value behind it, and --quick is an option");
  BOOST_TEST(complaint({"--quick=yes"}) == "spirals: --quick takes no value, and was given as --quick=yes");
}

BOOST_AUTO_TEST_CASE(mistakes_of_the_programmer_are_errors) {
  CommandLine line("spirals", "Trains.");
  long steps = 5;
  line.option("--steps", steps, "training steps");
  BOOST_TEST(error_of([&] { line.option("--steps", steps, "again"); }) ==
             "CommandLine: there is already an option --steps");
  BOOST_TEST(error_of([&] { line.option("steps", steps, "no dashes"); }) ==
             "CommandLine: the option is called \"steps\"; a name is like --steps");
  BOOST_TEST(error_of([&] { line.option("--few", steps, "few", 1, 3); }) ==
             "CommandLine: the default of --few is 5; it must be a whole number from 1 to 3");
}

BOOST_AUTO_TEST_CASE(one_word_may_say_what_to_do) {
  const auto parse_word = [](std::vector<const char*> arguments, std::string& text) {
    const Captured out(std::cout), err(std::cerr);
    std::string what = "core";
    long seconds = 1;
    CommandLine line("bench", "Measures.");
    line.word("benchmark", what, "what to measure", {"attention", "core"});
    line.option("--seconds", seconds, "how long");
    arguments.insert(arguments.begin(), "bench");
    const bool good = line.parse(int(arguments.size()), arguments.data());
    text = out.text.str() + err.text.str();
    return good ? what + " " + std::to_string(seconds) : text.substr(0, text.find('\n'));
  };
  std::string text;
  BOOST_TEST(parse_word({}, text) == "core 1");
  BOOST_TEST(parse_word({"attention", "--seconds", "2"}, text) == "attention 2");
  BOOST_TEST(parse_word({"--seconds", "2", "attention"}, text) == "attention 2");
  BOOST_TEST(parse_word({"atention"}, text) ==
             "bench: the benchmark is \"atention\"; it must be one of attention, core; did you mean attention?");
  BOOST_TEST(parse_word({"core", "attention"}, text) == "bench: \"attention\" belongs to no option");
  BOOST_TEST(parse_word({"--secnods", "2"}, text) == "bench: unknown option --secnods; did you mean --seconds?");
  parse_word({"--help"}, text);
  BOOST_TEST((text.find("what to measure: attention or core (core)") != std::string::npos), text);
}

BOOST_AUTO_TEST_CASE(a_word_without_choices_may_be_anything) {
  std::string spec;
  CommandLine line("show", "Draws.");
  line.word("SPEC", spec, "a variant", {});
  const char* arguments[] = {"show", "window:left=8"};
  BOOST_TEST(line.parse(2, arguments));
  BOOST_TEST(spec == "window:left=8");
}

BOOST_AUTO_TEST_CASE(a_second_word_is_a_mistake_of_the_programmer) {
  CommandLine line("bench", "Measures.");
  std::string what = "core";
  line.word("benchmark", what, "what to measure", {"core"});
  BOOST_TEST(error_of([&] { line.word("size", what, "how large", {"core"}); }) ==
             "CommandLine: there is already a word, benchmark, and size would be the second; a program takes one");
}

BOOST_AUTO_TEST_CASE(what_a_program_throws_becomes_a_line_and_exit_code_1) {
  std::string err;
  BOOST_TEST(run_throwing(err, [](int, char**) -> int { fail("matmul", "a is too small"); }) == 1);
  BOOST_TEST(err == "spirals: matmul: a is too small\n");
  BOOST_TEST(run_throwing(err, [](int, char**) -> int { throw std::bad_alloc(); }) == 1);
  BOOST_TEST(err == "spirals: out of memory\n");
  BOOST_TEST(run_throwing(err, [](int, char**) -> int { throw 7; }) == 1);
  BOOST_TEST(err == "spirals: failed for a reason it does not say\n");
  BOOST_TEST(run_throwing(err, [](int, char**) { return 5; }) == 5);
  BOOST_TEST(err == "");
}

BOOST_AUTO_TEST_CASE(seeds_have_32_bits_and_json_is_a_flag_everywhere) {
  const auto parse_seed = [](std::vector<const char*> arguments, long& seed, bool& json) {
    const Captured out(std::cout), err(std::cerr);
    CommandLine line("little", "Does little.");
    line.seed(seed, "another seed, other weights");
    line.json(json);
    arguments.insert(arguments.begin(), "little");
    return line.parse(int(arguments.size()), arguments.data()) ? ""
                                                               : err.text.str().substr(0, err.text.str().find('\n'));
  };
  long seed = 1;
  bool json = false;
  BOOST_TEST(parse_seed({"--seed", "4294967295", "--json"}, seed, json) == "");
  BOOST_TEST((seed == kMaxSeed && json));
  for (const char* bad : {"-1", "4294967296"})
    BOOST_TEST(parse_seed({"--seed", bad}, seed, json) ==
               "little: --seed is \"" + std::string(bad) + "\"; it must be a whole number from 0 to 4294967295");
}

BOOST_AUTO_TEST_CASE(an_option_of_every_program_is_declared_acted_on_and_ended) {
  static long level;
  static std::string told;
  level = 0, told = "";
  const RegisteredCommonOption option{{"--level", [](CommandLine& line) { line.option("--level", level, "of noise"); },
                                       [] { told += "parsed " + std::to_string(level); }, [] { told += ", ended"; }}};
  BOOST_TEST(complaint({"--levle", "3"}) == "spirals: unknown option --levle; did you mean --level?");
  BOOST_TEST(told == "");  // what is refused is not acted on
  BOOST_TEST(run(
                 "spirals",
                 [](int, char**) {
                   return parse({"--level", "3"}).code;
                 },
                 0, nullptr) == 0);
  BOOST_TEST(told == "parsed 3, ended");
  CommandLine line("spirals", "Trains.");
  BOOST_TEST(error_of([&] { line.option("--level", level, "mine"); }) ==
             "CommandLine: there is already an option --level");
}

BOOST_AUTO_TEST_SUITE_END()
