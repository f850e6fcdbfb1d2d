// The only file that includes CLI11: it costs ten seconds of compile time.
#include "system/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include "system/error.h"
#include "system/nearest.h"
#include "system/progress.h"
#include "system/text.h"
#include "system/version.h"

namespace heed {
namespace {

constexpr int kUsageError = 2;
constexpr size_t kHelpColumn = 22;  // where the text of an option begins

// What is wrong with the command line: a sentence for the user.
struct UsageError {
  std::string text;
};

template <class... Parts> std::string sentence(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

// "; did you mean --steps?", or an empty text when nothing is near.
std::string suggestion(const std::string& given, const std::vector<std::string>& known) {
  const auto bare = [](const std::string& name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  std::string nearest;
  std::vector<std::string> names;
  for (const std::string& name : known) {
    names.push_back(bare(name));
    const bool begins = bare(given).size() >= 3 && bare(name).starts_with(bare(given));
    if (begins && nearest.empty()) nearest = bare(name);
  }
  if (nearest.empty()) nearest = nearest_name(bare(given), names);
  for (const std::string& name : known)
    if (!nearest.empty() && bare(name) == nearest) return "; did you mean " + name + "?";
  return "";
}

std::string with_hyphens(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// Lines that fit the terminal; the text of an option goes on below itself.
std::string fitted_help(const std::string& help) {
  const size_t width = stdout_width();
  std::string text;
  for (const std::string& line : split(help, '\n'))
    text += (text.empty() ? "" : "\n") + wrapped(line, width, line.starts_with("  ") ? kHelpColumn : 0);
  return text;
}

std::string before_equals(const std::string& text) { return text.substr(0, text.find('=')); }

// The whole text as a number, or false. A plus in front is fine.
template <class Number> bool to_number(const std::string& text, Number& value) {
  const auto number = number_in<Number>(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
  value = number.value_or(value);
  return number.has_value();
}

template <class Number> std::string range_text(Number low, Number high) {
  const bool below = low > std::numeric_limits<Number>::lowest(), above = high < std::numeric_limits<Number>::max();
  if (below && above) return sentence(" from ", low, " to ", high);
  if (below) return sentence(" of at least ", low);
  return above ? sentence(" of at most ", high) : "";
}

// Stores the text if it is one of the choices or there are none; otherwise returns what it must be.
std::function<std::string(const std::string&)> set_one_of(std::string& value, const std::vector<std::string>& choices) {
  return [&value, choices](const std::string& text) -> std::string {
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end())
      return (choices.size() > 1 ? "one of " : "") + CLI::detail::join(choices, ", ") + suggestion(text, choices);
    value = text;
    return "";
  };
}

}  // namespace

struct CommandLine::Parser {
  CLI::App app;
  std::string program;
  std::string word;             // the name of the one that stands without an option
  std::string option_of_words;  // what others are probably meant for
  std::map<std::string, std::string> other_names = {};
  std::vector<std::string> names = {"--help", "--version"};
  std::vector<std::string> flags = {"--help", "--version"};
  int exit_code = 0;

  Parser(const std::string& name, const std::string& description)
      : app(description + "\nDefaults are in brackets.\n", name), program(name) {
    app.set_help_flag("-h,--help", "print this help and exit");
    app.set_version_flag("--version", name + " (heed) " + version(), "print the version and exit");
    app.allow_extras();  // refused in check_unknown, with a suggestion
    app.get_formatter()->column_width(kHelpColumn);
  }

  void claim(const std::string& name) {
    const bool good = name.size() > 3 && name.starts_with("--") && name.find_first_of(" =,:!{") == std::string::npos;
    HEED_CHECK(good, "CommandLine", "the option is called \"", name, "\"; a name is like --steps");
    HEED_CHECK(std::find(names.begin(), names.end(), name) == names.end(), "CommandLine", "there is already an option ",
               name);
    names.push_back(name);
  }

  // set(text) stores the value or returns what it must be, such as "a whole number from 1 to 9".
  void add(const std::string& name, const std::string& help, const std::string& type,
           std::function<std::string(const std::string&)> set) {
    claim(name);
    auto check_and_set = [this, name, set](const std::string& text) {
      if (std::find(names.begin(), names.end(), text) != names.end())
        throw UsageError{name + " needs a value behind it, and " + text + " is an option"};
      const std::string rule = set(text);
      if (!rule.empty()) throw UsageError{name + " is \"" + text + "\"; it must be " + rule};
    };
    app.add_option_function<std::string>(name, check_and_set, help)->type_name(type)->take_last();
  }

  template <class Number>
  void add_number(const std::string& name, Number& value, const std::string& help, Number low, Number high) {
    const char* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    HEED_CHECK(value >= low && value <= high, "CommandLine", "the default of ", name, " is ", value, "; it must be ",
               kind, range_text(low, high));
    const auto set = [&value, low, high, kind](const std::string& text) {
      Number given = 0;
      if (!to_number(text, given) || !(given >= low && given <= high)) return kind + range_text(low, high);
      value = given;
      return std::string();
    };
    const std::string range = range_text(low, high);
    const std::string with_range = sentence(help, range.empty() ? "" : ",", range, " (", value, ")");
    add(name, with_range, std::is_integral_v<Number> ? "N" : "X", set);
  }

  void check_flags(int argc, const char* const* argv) const {
    for (int i = 1; i < argc; i++) {
      const std::string name = before_equals(argv[i]);
      if (name != argv[i] && std::find(flags.begin(), flags.end(), name) != flags.end())
        throw UsageError{name + " takes no value, and was given as " + argv[i]};
    }
  }

  void check_unknown() const {
    const auto rest = app.remaining();
    if (rest.empty()) return;
    const std::string given = before_equals(rest[0]);
    if (given.starts_with("-") && given != "--" && given != "-")
      throw UsageError{"unknown option " + given + meant_option(given)};
    throw UsageError{"\"" + rest[0] + "\" belongs to no option" + meant_word(rest[0])};
  }

  std::string meant_option(const std::string& given) const {
    const auto other = other_names.find(with_hyphens(given));
    if (other != other_names.end() && std::find(names.begin(), names.end(), other->second) != names.end())
      return "; did you mean " + other->second + "?";
    return suggestion(with_hyphens(given), names);
  }

  std::string meant_word(const std::string& given) const {
    const std::string option = suggestion(given, names);
    if (!option.empty() || option_of_words.empty()) return option;
    return "; did you mean " + option_of_words + " " + given + "?";
  }

  bool complain(const std::string& text) {
    std::cerr << program << ": " << text << "\n" << program << " --help shows all options\n";
    exit_code = kUsageError;
    return false;
  }
};

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : parser_(std::make_unique<Parser>(program, description)) {
  for (const CommonOption* option : common_options.all()) option->declare(*this);
}

CommandLine::~CommandLine() = default;

void CommandLine::option(const std::string& name, long& value, const std::string& help, long low, long high) {
  parser_->add_number(name, value, help, low, high);
}

void CommandLine::option(const std::string& name, int& value, const std::string& help, int low, int high) {
  parser_->add_number(name, value, help, low, high);
}

void CommandLine::option(const std::string& name, double& value, const std::string& help, double low, double high) {
  parser_->add_number(name, value, help, low, high);
}

void CommandLine::option(const std::string& name, std::string& value, const std::string& help,
                         const std::vector<std::string>& choices) {
  const std::string known = choices.empty() ? "" : ": " + CLI::detail::join(choices, " or ");
  parser_->add(name, help + known + (value.empty() ? "" : " (" + value + ")"), "TEXT", set_one_of(value, choices));
}

void CommandLine::word(const std::string& name, std::string& value, const std::string& help,
                       const std::vector<std::string>& choices) {
  HEED_CHECK(parser_->word.empty(), "CommandLine", "there is already a word, ", parser_->word, ", and ", name,
             " would be the second; a program takes one");
  parser_->word = name;
  const auto set = set_one_of(value, choices);
  auto check_and_set = [this, name, set](const std::string& text) {
    parser_->check_unknown();  // the 5 of `--stpes 5` looks like a word
    const std::string rule = set(text);
    if (!rule.empty()) throw UsageError{"the " + name + " is \"" + text + "\"; it must be " + rule};
  };
  const std::string text = help + (choices.empty() ? "" : ": " + CLI::detail::join(choices, " or ")) +
                           (value.empty() ? "" : " (" + value + ")");
  parser_->app.add_option_function<std::string>(name, check_and_set, text)->type_name("");
}

void CommandLine::words(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  HEED_CHECK(parser_->word.empty(), "CommandLine", "there is already a word, ", parser_->word, ", and ", name,
             " would be the second; a program takes one");
  parser_->word = name;
  auto check_and_set = [this, &values](const std::vector<std::string>& texts) {
    parser_->check_unknown();
    values = texts;
  };
  parser_->app.add_option_function<std::vector<std::string>>(name, check_and_set, help)->type_name("");
}

void CommandLine::also_called(const std::string& option, const std::vector<std::string>& names) {
  for (const std::string& name : names) parser_->other_names[with_hyphens(name)] = option;
}

void CommandLine::word_is_for(const std::string& option) { parser_->option_of_words = option; }

bool CommandLine::given(const std::string& name) const { return parser_->app.count(name) > 0; }

void CommandLine::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->claim(name);
  parser_->flags.push_back(name);
  parser_->app.add_flag_function(
      name, [&value](int64_t) { value = true; }, help);
}

void CommandLine::seed(long& value, const std::string& help) { option("--seed", value, help, 0, kMaxSeed); }

void CommandLine::json(bool& value) { flag("--json", value, "print JSON, for programs, in place of text"); }

bool CommandLine::parse(int argc, const char* const* argv) {
  Parser& parser = *parser_;
  try {
    parser.check_flags(argc, argv);
    parser.app.parse(argc, argv);
    parser.check_unknown();
    for (const CommonOption* option : common_options.all())
      if (option->parsed) option->parsed();
    return true;
  } catch (const CLI::CallForHelp&) {
    std::cout << fitted_help(parser.app.help());
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
  } catch (const UsageError& error) {
    return parser.complain(error.text);
  } catch (const CLI::ArgumentMismatch&) {  // an option stands last and has no value
    return parser.complain(before_equals(argv[argc - 1]) + " needs a value behind it");
  } catch (const std::exception& error) {  // whatever else CLI11 may think of
    return parser.complain(error.what());
  }
  parser.exit_code = 0;
  return false;
}

int CommandLine::exit_code() const { return parser_->exit_code; }

}  // namespace heed
