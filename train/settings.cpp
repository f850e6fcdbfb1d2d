#include "train/settings.h"

#include <algorithm>
#include <type_traits>

#include "system/error.h"
#include "system/nearest.h"
#include "system/utf8.h"
#include "system/version.h"

namespace heed {
namespace {

constexpr const char* kOp = "settings";
constexpr const char* kVersion = "version";

template <class... Cases> struct Visitor : Cases... { using Cases::operator()...; };
template <class... Cases> Visitor(Cases...) -> Visitor<Cases...>;

void read_value(const Json& json, long& value) { value = json.integer(); }
void read_value(const Json& json, double& value) { value = json.number(); }
void read_value(const Json& json, std::string& value) { value = json.text(); }
void read_value(const Json& json, bool& value) { value = json.truth(); }

// A mistyped name, or one of a heed to come.
[[noreturn]] void fail_unknown_name(const SettingTable& table, const Json& json, const std::string& name,
                                    const std::string& from) {
  std::vector<std::string> known;
  for (const Setting& setting : table) known.push_back(setting.name);
  const std::string nearest = nearest_name(name, known);
  const Json* by = json.find(kVersion);
  const bool other = by && by->is_text() && by->text() != version();
  fail(kOp, from, " has '", name, "', which is no setting",
       other ? "; heed " + by->text() + " wrote it, and this is heed " + version() : "",
       nearest.empty() ? "" : ". Did you mean " + nearest + "?");
}

}  // namespace

Setting::Setting(const std::string& given, long& value, long low, long high, const std::string& text)
    : name(given), help(text), value_(Range<long>{&value, low, high}) {}

Setting::Setting(const std::string& given, double& value, double low, double high, const std::string& text)
    : name(given), help(text), value_(Range<double>{&value, low, high}) {}

Setting::Setting(const std::string& given, std::string& value, const std::string& text,
                 const std::vector<std::string>& choices)
    : name(given), help(text), value_(Text{&value, choices}) {}

Setting::Setting(const std::string& given, bool& value, const std::string& text)
    : name(given), help(text), value_(Truth{&value}) {}

Setting& Setting::formerly(const std::string& old_name) {
  former_name = old_name;
  return *this;
}

Json Setting::json() const {
  return std::visit([](const auto& of) { return Json(*of.value); }, value_);
}

const Json* Setting::find_in(const Json& settings) const {
  const Json* found = settings.find(name);
  return found || former_name.empty() ? found : settings.find(former_name);
}

void Setting::read(const Json& json) const {
  std::visit([&](const auto& of) { read_value(json, *of.value); }, value_);
}

void Setting::check() const {
  const auto in_range = [&](const auto& of) {
    HEED_CHECK(*of.value >= of.low && *of.value <= of.high, kOp, name, " is ", *of.value, "; it must be from ", of.low,
               " to ", of.high);
  };
  const auto is_choice = [&](const Text& of) {
    HEED_CHECK(
        is_utf8(*of.value), kOp, name, " is ", Json(*of.value).dump(), ", where ",
        "\xef\xbf\xbd stands for bytes that are not UTF-8: config.json could not hold it. Rename the file, or give a "
        "link to it");
    if (of.choices.empty() || std::find(of.choices.begin(), of.choices.end(), *of.value) != of.choices.end()) return;
    const std::string what = name.ends_with('s') ? "kind of " + name : name;  // a plural: positions
    fail_unknown(kOp, what.c_str(), *of.value, of.choices);
  };
  std::visit(Visitor{[](const Truth&) {}, is_choice, in_range}, value_);
}

void Setting::copy(const Setting& from) const { read(from.json()); }

void Setting::add_option(CommandLine& line, const std::string& option) const {
  std::visit(Visitor{[&](const Truth& of) { line.flag(option, *of.value, help); },
                     [&](const Text& of) { line.option(option, *of.value, help, of.choices); },
                     [&](const auto& of) { line.option(option, *of.value, help, of.low, of.high); }},
             value_);
}

SettingTable joined_tables(const std::vector<SettingTable>& parts) {
  SettingTable all;
  for (const SettingTable& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Json to_json(const SettingTable& table) {
  Json json = Json::object();
  json[kVersion] = version();
  for (const Setting& setting : table) json[setting.name] = setting.json();
  return json;
}

void read_settings(const SettingTable& table, const Json& json, const std::string& from) {
  for (const auto& [name, value] : json.members()) {
    const auto is_called = [&name = name](const Setting& setting) {
      return setting.name == name || setting.former_name == name;
    };
    if (name != kVersion && std::none_of(table.begin(), table.end(), is_called))
      fail_unknown_name(table, json, name, from);
  }
  for (const Setting& setting : table) {
    const Json* found = setting.find_in(json);
    if (!found) continue;
    try {
      setting.read(*found);
    } catch (const Error& error) {
      fail(kOp, from, " has ", setting.name, " ", found->dump(), " (", error.what(), ")");
    }
  }
}

void check_settings(const SettingTable& table) {
  for (const Setting& setting : table) setting.check();
}

std::vector<std::string> differences(const Json& before, const Json& now) {
  std::vector<std::string> list;
  for (const auto& [name, value] : now.members()) {
    const Json* old = before.find(name);
    if (name != kVersion && old && !(*old == value)) list.push_back(name + " " + old->dump() + " -> " + value.dump());
  }
  return list;
}

}  // namespace heed
