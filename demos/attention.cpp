// attention: the attention variants that there are, and pictures of them.
//
//   build/attention list                              what there is, what it costs, what it honours and refuses
//   build/attention list window                       one of them
//   build/attention show window:left=8 --causal       draws which pairs it connects
//   build/attention show full:bias=alibi --weights    draws how strongly
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "nn/mixing/registry.h"
#include "show/attention_picture.h"
#include "system/command_line.h"
#include "system/error.h"
#include "system/json.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/random.h"
#include "tensor/views.h"

using namespace heed;

namespace {

// ---- list

Capabilities capabilities(const Variant& variant) {
  return make_mixer(variant.name, {.C = 32, .heads = 2, .max_length = 64, .grid = {8, 8}})->can();
}

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

// The columns of the overview: parts of a mask first, then what else it can.
constexpr std::pair<const char*, bool Capabilities::*> kColumns[] = {
    {"causal", &Capabilities::causal},   {"lengths", &Capabilities::padding}, {"segments", &Capabilities::segments},
    {"windows", &Capabilities::windows}, {"ranges", &Capabilities::ranges},   {"pairs", &Capabilities::pairs},
    {"cross", &Capabilities::cross},     {"decode", &Capabilities::decode},   {"exact", &Capabilities::exact}};

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
  for (const auto& [title, has] : kColumns) std::printf("%s  ", title);
  std::printf("\n");
  for (const Variant* v : list) {
    const Capabilities can = capabilities(*v);
    std::printf("%s%-6d%s%s", padded(v->name, name).c_str(), v->year, padded(v->time.text(), time).c_str(),
                padded(v->memory.text(), memory).c_str());
    for (const auto& [title, has] : kColumns)
      std::printf("%s", padded(can.*has ? "yes" : "-", std::string(title).size() + 2).c_str());
    std::printf("\n");
  }
}

// What the overview leaves out, in words.
std::string remarks(const Capabilities& can) {
  std::vector<std::string> words;
  if (can.causal && !can.strictly_causal) words.push_back("choices may be made from later tokens");
  if (can.padding && !can.length_free) words.push_back("a padded batch may differ from each sample alone");
  if (can.decode && !can.any_cut) words.push_back("chunks through a state may differ from the whole");
  if (!can.rotary) words.push_back("takes no rotary positions");
  if (!can.drops) words.push_back("ignores dropout: it has no weights to drop");
  for (const Capability& each : all_capabilities())
    if (each.need && can.*each.has) words.push_back(each.says);
  return joined(words, "; ");
}

// "windows, ranges: keys are added up before a query asks"
std::string refusals(const Capabilities& can) {
  std::vector<std::string> words;
  for (const auto& [title, has] : kColumns)
    if (!(can.*has) && has != &Capabilities::exact) words.push_back(title);
  if (words.empty()) return "";
  return joined(words, ", ") + (can.because.empty() ? "" : ": " + can.because);
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
  const Capabilities can = capabilities(variant);
  print_line_of("refuses", refusals(can));
  print_line_of("note", remarks(can));
}

void print_table() {
  print_overview();
  std::printf(
      "\nn: tokens, w: keys a query sees, b: tokens in a block, m: blocks, c / l: the part of all columns that is "
      "seen.\n"
      "causal to pairs: parts of a mask that it honours (the others are refused with a sentence); cross: takes keys "
      "and\n"
      "values from another sequence; decode: writes token by token; exact: equals full attention under its mask.\n"
      "`attention list NAME` tells of one alone.\n");
  for (const Variant* variant : variants()) {
    std::printf("\n");
    print_details(*variant);
  }
}

// ---- list, for programs

Json json_of(const VariantOption& option) {
  Json out = Json::object();
  out["name"] = option.name, out["help"] = option.help, out["default"] = option.standard;
  if (option.choices.empty()) out["low"] = option.low, out["high"] = option.high;
  if (!option.choices.empty()) out["choices"] = Json::Array(option.choices.begin(), option.choices.end());
  return out;
}

Json json_of(const Variant& v) {
  const Capabilities can = capabilities(v);
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

// ---- show

struct Show {
  std::string spec, out;
  long length = 64, heads = 2, seed = 1;
  bool causal = false, weights = false;
};

// As many tokens as the pixels of a square are taken as one, for variants of images.
Grid square_of(long tokens) {
  const long side = std::lround(std::sqrt(double(tokens)));
  return side * side == tokens ? Grid{side, side} : Grid{};
}

// (H, T, S) of a mixer with random parameters on random tokens. In f64: a weight of 0 then is a pair that is not
// visible, and not one that is too small for a float.
Tensor weights_of(const Show& s, const std::string& spec) {
  const NoGrad no_grad;
  const auto mixer =
      make_mixer(spec, {.C = 32 * s.heads, .heads = s.heads, .max_length = s.length, .grid = square_of(s.length)});
  HEED_CHECK(!s.causal || mixer->can().causal, "show", spec, " has no causal form; leave --causal away");
  mixer->initialise(uint32_t(s.seed));
  mixer->cast_parameters(f64);
  Context ctx;
  ctx.seed = uint32_t(s.seed);
  const Tensor x =
      normal({1, s.length, 32 * s.heads}, {.seed = uint32_t(s.seed), .site = site_hash("show")}, 0, 1, f64);
  const MixIn in{.mask = {.causal = s.causal}};
  return select(mixer->weights(mixer->widen(x, in, ctx), in, ctx), 0, 0);
}

// "window:left=8" -> "window-left-8"
std::string file_name(const std::string& spec) {
  std::string name = spec;
  for (char& c : name)
    if (c == ':' || c == '=' || c == ',' || c == '/') c = '-';
  return name;
}

std::string subtitle(const Show& s, const Variant& variant) {
  return variant.summary + (s.causal ? ", causal" : "") + (s.weights ? "; random parameters and tokens" : "") +
         "; time " + variant.time.text() + ", memory " + variant.memory.text();
}

int show(int argc, char** argv) {
  Show s;
  CommandLine line("attention show", "Draws which keys each query of an attention variant sees.");
  line.word("SPEC", s.spec, "a variant and its options, such as window:left=8,right=8", {});
  line.option("--out", s.out, "the picture, a PNG file (runs/attention/SPEC.png)");
  line.option("--length", s.length, "tokens", 1, 1024);
  line.flag("--causal", s.causal, "no query sees a later key");
  line.option("--heads", s.heads, "heads of the mixer", 1, 64);
  line.flag("--weights", s.weights, "how large the weights of a mixer with random parameters are on random tokens");
  line.seed(s.seed, "another seed, other parameters and tokens");
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(!s.spec.empty(), "show", "which variant? `attention list` has them all; try `attention show window`");
  const Variant& variant = find_variant(s.spec);
  const std::string spec = VariantOptions(s.spec, variant.name, variant.options()).spec();
  if (s.out.empty()) s.out = "runs/attention/" + file_name(s.spec) + ".png";
  check_writable(s.out);
  const AttentionLook look{.title = s.spec, .subtitle = subtitle(s, variant), .footnote = spec, .strength = s.weights};
  draw_attention(weights_of(s, spec), look).write_png(s.out);
  std::printf("%s\nthe picture is %s\n", spec.c_str(), s.out.c_str());
  return 0;
}

// ---- the program

int list(int argc, char** argv) {
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

int body(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "show") return show(argc - 1, argv + 1);
  if (first == "list") return list(argc - 1, argv + 1);
  std::string command = "list";
  CommandLine line("attention",
                   "Lists the attention variants, or draws one: `attention list --help`, `attention show --help`.");
  line.word("command", command, "what to do", {"list", "show"});
  bool json = false;
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(command == "list", "attention", "`show` comes first: attention show SPEC");
  json ? print_json() : print_table();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run("attention", body, argc, argv); }
