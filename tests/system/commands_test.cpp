// Programs of several commands, words without an option, and what the user typed.
#include <iostream>
#include <sstream>

#include "system/command_line.h"
#include "system/version.h"
#include "tests/support/captured.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(commands_test)

namespace {

using Words = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string out, err;
  Words got;  // what a command's body was given
};

Outcome call(Words words) {
  Outcome o;
  const auto body = [&](int code) {
    return [&o, code](int argc, char** argv) {
      o.got.assign(argv, argv + argc);
      return code;
    };
  };
  words.insert(words.begin(), "prog");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const Captured out(std::cout), err(std::cerr);
  o.code = run_command("prog", "Does things.", {{"train", "learns", body(7)}, {"sample", "writes", body(0)}},
                       int(argv.size()), argv.data());
  o.out = out.text.str(), o.err = err.text.str();
  return o;
}

struct Parsed {
  bool go_on = false, steps_given = false, quick_given = false;
  int code = 0;
  Words words;
  std::string err;
};

Parsed parse(std::vector<const char*> arguments) {
  Parsed p;
  long steps = 5;
  bool quick = false;
  const Captured out(std::cout), err(std::cerr);
  CommandLine line("prog", "Does things.");
  line.words("RUN", p.words, "run folders");
  line.option("--steps", steps, "steps", 1, 10);
  line.flag("--quick", quick, "a short run");
  arguments.insert(arguments.begin(), "prog");
  p.go_on = line.parse(int(arguments.size()), arguments.data());
  p.code = line.exit_code(), p.err = err.text.str();
  if (p.go_on) p.steps_given = line.given("--steps"), p.quick_given = line.given("--quick");
  return p;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_command_gets_the_rest_of_the_line) {
  const Outcome o = call({"train", "--steps", "5"});
  BOOST_TEST(o.code == 7);
  BOOST_TEST((o.got == Words{"train", "--steps", "5"}));
  BOOST_TEST(o.out + o.err == "");
  BOOST_TEST(call({"sample"}).code == 0);
}

BOOST_AUTO_TEST_CASE(the_help_lists_the_commands) {
  for (const char* word : {"--help", "-h", "help"}) {
    const Outcome o = call({word});
    BOOST_TEST(o.code == 0);
    BOOST_TEST(o.out ==
               "Does things.\nUsage: prog COMMAND [OPTIONS]\n\n  train   learns\n  sample  writes\n\n"
               "prog COMMAND --help shows the options of one.\n");
  }
  BOOST_TEST(call({}).code == 2);  // nothing was asked for
  BOOST_TEST(call({"--version"}).out == std::string("prog (heed) ") + version() + "\n");
}

BOOST_AUTO_TEST_CASE(an_unknown_command_is_answered_by_the_nearest) {
  const Outcome o = call({"trian", "--steps", "5"});
  BOOST_TEST(o.code == 2);
  BOOST_TEST(o.err == "prog: there is no command \"trian\"; did you mean train?\nprog --help lists the commands\n");
  BOOST_TEST(o.got.empty());
  BOOST_TEST(call({"xyzzy"}).err.starts_with("prog: there is no command \"xyzzy\"\n"));
  BOOST_TEST(call({"--steps"}).code == 2);
  BOOST_TEST(call({""}).code == 2);
}

BOOST_AUTO_TEST_CASE(words_may_be_any_number_and_stand_anywhere) {
  BOOST_TEST(parse({}).go_on);
  BOOST_TEST(parse({}).words.empty());
  BOOST_TEST((parse({"a", "b", "c"}).words == Words{"a", "b", "c"}));
  BOOST_TEST((parse({"a", "--steps", "3", "b", "--quick"}).words == Words{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(mistyped_options_are_no_words) {
  const Parsed p = parse({"a", "--stpes", "3"});
  BOOST_TEST(!p.go_on);
  BOOST_TEST(p.code == 2);
  BOOST_TEST(p.err == "prog: unknown option --stpes; did you mean --steps?\nprog --help shows all options\n");
}

BOOST_AUTO_TEST_CASE(a_program_has_a_word_or_words_once) {
  CommandLine line("prog", "Does things.");
  Words words;
  std::string word;
  line.words("RUN", words, "run folders");
  const std::string error =
      "CommandLine: there is already a word, RUN, and FILE would be the second; a program takes one";
  BOOST_TEST(error_of([&] { line.words("FILE", words, "files"); }) == error);
  BOOST_TEST(error_of([&] { line.word("FILE", word, "a file", {}); }) == error);
}

BOOST_AUTO_TEST_CASE(given_tells_what_was_typed_whatever_its_value) {
  BOOST_TEST(!parse({}).steps_given);
  BOOST_TEST(!parse({"a"}).quick_given);
  BOOST_TEST(parse({"--steps", "5"}).steps_given);  // the default's value
  BOOST_TEST(parse({"--steps=6"}).steps_given);
  BOOST_TEST(parse({"--quick"}).quick_given);
}

BOOST_AUTO_TEST_SUITE_END()
