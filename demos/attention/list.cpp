// `attention list`: what there is, what it costs, what it honours and refuses.
#include <algorithm>
#include <cstdio>

#include "demos/attention/attention.h"
#include "system/command_line.h"
#include "system/json.h"
#include "system/text.h"

using namespace heed;

namespace {

std::string number_text(double x) { return format("%.12g", x); }

constexpr double kNoLimit = 1e6;  // nobody has so many tokens

std::string range_text(const VariantOption& option) {
  if (!option.choices.empty()) return joined(option.choices, ", ");
  if (option.high >= kNoLimit) return "from " + number_text(option.low);
  return number_text(option.low) + " to " + number_text(option.high);
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

template <class List, class Text> size_t widest(const List& list, const Text& text_of, size_t least = 0) {
  for (const auto& element : list) least = std::max(least, text_of(element).size());
  return least;
}

void print_overview() {
  const auto& list = variants();
  const size_t name = 2 + widest(
                              list, [](auto* v) { return v->name; }, 7);
  const size_t time = 2 + widest(
                              list, [](auto* v) { return v->time.text(); }, 4);
  const size_t memory = 2 + widest(
                                list, [](auto* v) { return v->memory.text(); }, 6);
  std::printf("%s%s%s%s", padded("variant", name).c_str(), padded("year", 6).c_str(), padded("time", time).c_str(),
              padded("memory", memory).c_str());
  for (const auto& [title, has] : overview_columns()) std::printf("%s  ", title);
  std::printf("\n");
  for (const Variant* v : list) {
    const Capabilities can = capabilities(v->name);
    std::printf("%s%-6d%s%s", padded(v->name, name).c_str(), v->year, padded(v->time.text(), time).c_str(),
                padded(v->memory.text(), memory).c_str());
    for (const auto& [title, has] : overview_columns())
      std::printf("%s", padded(can.*has ? "yes" : "-", std::string(title).size() + 2).c_str());
    std::printf("\n");
  }
}

void print_line_of(const char* title, const std::string& text) {
  if (!text.empty()) std::printf("  %-9s%s\n", title, text.c_str());
}

void print_details(const Variant& variant) {
  std::printf("%s: %s%s\n", variant.name.c_str(), variant.summary.c_str(),
              variant.source.empty() ? "" : (" (" + variant.source + ")").c_str());
  print_line_of("formula", variant.formula);
  print_line_of("pays off", variant.when);
  print_line_of("loses", variant.when_not);
  const auto options = variant.options();
  const size_t name = 2 + widest(options, [](auto& o) { return o.name + "=" + o.standard; });
  const size_t range = 2 + widest(options, range_text);
  for (const VariantOption& option : options)
    print_line_of(&option == &options[0] ? "options" : "",
                  padded(option.name + "=" + option.standard, name) + padded(range_text(option), range) + option.help);
  const Capabilities can = capabilities(variant.name);
  print_line_of("refuses", refusals(can));
  print_line_of("note", remarks(can));
}

void print_table() {
  print_overview();
  std::printf(
      "\nn: tokens, w: keys a query sees, b: tokens in a block. causal to pairs: parts of a mask that it honours (the\n"
      "others are refused with a sentence); cross: takes keys and values from another sequence; decode: writes token\n"
      "by token; exact: equals full attention under its mask. `attention list NAME` tells of one alone.\n");
  for (const Variant* variant : variants()) {
    std::printf("\n");
    print_details(*variant);
  }
}

// ---- for programs

Json json_of(const VariantOption& option) {
  Json out = Json::object();
  out["name"] = option.name, out["help"] = option.help, out["default"] = option.standard;
  if (option.choices.empty()) out["low"] = option.low, out["high"] = option.high;
  if (!option.choices.empty()) out["choices"] = Json::Array(option.choices.begin(), option.choices.end());
  return out;
}

Json json_of(const Variant& v) {
  const Capabilities can = capabilities(v.name);
  Json out = Json::object();
  out["name"] = v.name, out["summary"] = v.summary, out["formula"] = v.formula;
  out["time"] = v.time.text(), out["memory"] = v.memory.text();
  out["source"] = v.source, out["year"] = v.year, out["when"] = v.when, out["when_not"] = v.when_not;
  const std::vector<std::string> shown = shown_specs(v);
  out["shown"] = Json::Array(shown.begin(), shown.end());
  out["can"] = Json::object(), out["because"] = can.because, out["options"] = Json::array();
  for (const Capability& each : all_capabilities()) out["can"][each.name] = can.*each.has;
  for (const VariantOption& option : v.options()) out["options"].push_back(json_of(option));
  return out;
}

void print_json() {
  Json all = Json::array();
  for (const Variant* variant : variants()) all.push_back(json_of(*variant));
  std::printf("%s\n", all.dump(1).c_str());
}

}  // namespace

int list_command(int argc, char** argv) {
  std::string name;
  bool json = false;
  CommandLine line("attention list", "Lists the attention variants: cost, what they honour and refuse, options.");
  line.word("NAME", name, "tell of this variant alone", {});
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  if (json)
    print_json();
  else if (name.empty())
    print_table();
  else
    print_details(find_variant(name));
  return 0;
}
