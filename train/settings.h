// A table of settings: each is told once, with its name, the member that holds it, what it may be and a sentence.
// Files, checks, differences and command lines walk the table, so that they cannot drift apart.
//
//   struct Walk { long steps = 10; double speed = 1; std::string gait = "walk"; bool backwards = false; };
//   SettingTable table_of(Walk& w) {
//     return {{"steps", w.steps, 1, 1000, "how many"},
//             {"speed", w.speed, 0, 3.5, "metres per second"},
//             {"gait", w.gait, "which one", {"walk", "run"}},
//             {"backwards", w.backwards, "the other way round"}};
//   }
//   Walk w;
//   read_settings(table_of(w), Json::parse(text, path), path);
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "system/command_line.h"
#include "system/json.h"

namespace heed {

class Setting {
 public:
  // The value is a member of an object that outlives the setting. An empty help: nobody is asked for it.
  Setting(const std::string& name, long& value, long low, long high, const std::string& help = "");
  Setting(const std::string& name, double& value, double low, double high, const std::string& help = "");
  // Any text, or one of the choices if there are some.
  Setting(const std::string& name, std::string& value, const std::string& help = "",
          const std::vector<std::string>& choices = {});
  Setting(const std::string& name, bool& value, const std::string& help = "");

  Setting& formerly(const std::string& old_name);  // how older files call it

  Json json() const;
  const Json* find_in(const Json& settings) const;  // by its name, or else by the former one; null if there is none
  void read(const Json& json) const;                // throws if it is of another kind
  void check() const;                               // throws if it may not be
  void copy(const Setting& from) const;             // the value of the same setting of another object
  void add_option(CommandLine& line, const std::string& option) const;  // the value is its default

  std::string name, help, former_name = {};

 private:
  template <class Number> struct Range {
    Number* value;
    Number low, high;
  };
  struct Text {
    std::string* value;
    std::vector<std::string> choices;
  };
  struct Truth {
    bool* value;
  };
  std::variant<Range<long>, Range<double>, Text, Truth> value_;
};

using SettingTable = std::vector<Setting>;
SettingTable joined_tables(const std::vector<SettingTable>& parts);  // one behind the other

// All of them, and "version": which heed has written them.
Json to_json(const SettingTable& table);

// What the JSON lacks stays as it is: an older file has fewer settings. A name that no setting has is an error that
// suggests the nearest. `from` is the file, for the errors.
void read_settings(const SettingTable& table, const Json& json, const std::string& from);

void check_settings(const SettingTable& table);  // throws a sentence for the first that may not be

// What differs, for people: "steps 1000 -> 2000", in the order of `now`, apart from the version. Both are what to_json
// made of one kind of settings.
std::vector<std::string> differences(const Json& before, const Json& now);

}  // namespace heed
