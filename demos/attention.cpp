// attention: the attention variants that there are, and pictures of them.
//
//   build/attention list                                       what there is, what it costs, what it can do
//   build/attention show window:left=8 --causal                draws which pairs it connects
//   build/attention show full:bias=alibi --weights --heads 4   draws how strongly
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

using Trait = std::pair<const char*, bool Capabilities::*>;
constexpr Trait kTraits[] = {{"causal", &Capabilities::causal},   {"strictly_causal", &Capabilities::strictly_causal},
                             {"padding", &Capabilities::padding}, {"cross", &Capabilities::cross},
                             {"decode", &Capabilities::decode},   {"exact", &Capabilities::exact},
                             {"rotary", &Capabilities::rotary},   {"needs_max_length", &Capabilities::needs_max_length},
                             {"random", &Capabilities::random},   {"widens", &Capabilities::widens}};

Capabilities capabilities(const Variant& variant) {
  return make_mixer(variant.name, {.C = 32, .heads = 2, .max_length = 64})->can();
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

void print_overview() {
  const auto& list = variants();
  const size_t name = 2 + widest(
                              list, [](auto* v) { return v->name; }, 7);
  const size_t time = 2 + widest(
                              list, [](auto* v) { return v->time; }, 4);
  const size_t memory = 2 + widest(
                                list, [](auto* v) { return v->memory; }, 6);
  std::printf("%s%s%scausal  padding  cross  decode  exact  what it is\n", padded("variant", name).c_str(),
              padded("time", time).c_str(), padded("memory", memory).c_str());
  for (const Variant* v : list) {
    const Capabilities can = capabilities(*v);
    const auto mark = [](bool yes) { return yes ? "yes" : "-"; };
    std::printf("%s%s%s%-8s%-9s%-7s%-8s%-7s%s\n", padded(v->name, name).c_str(), padded(v->time, time).c_str(),
                padded(v->memory, memory).c_str(), mark(can.causal), mark(can.padding), mark(can.cross),
                mark(can.decode), mark(can.exact), v->summary.c_str());
  }
}

// What the overview leaves out, in words.
std::string remarks(const Capabilities& can) {
  std::vector<std::string> words;
  if (can.causal && !can.strictly_causal) words.push_back("choices may be made from later tokens");
  if (!can.rotary) words.push_back("takes no rotary positions");
  if (can.needs_max_length) words.push_back("has parameters per position");
  if (can.random) words.push_back("draws random numbers");
  if (can.widens) words.push_back("adds nodes beside the tokens");
  return joined(words, "; ");
}

void print_details(const Variant& variant) {
  std::printf("\n%s%s\n", variant.name.c_str(), variant.source.empty() ? "" : (" (" + variant.source + ")").c_str());
  const auto options = variant.options();
  const size_t name = 2 + widest(options, [](auto& o) { return o.name + "=" + o.standard; });
  const size_t range = 2 + widest(options, range_text);
  for (const VariantOption& option : options)
    std::printf("  %s%s%s\n", padded(option.name + "=" + option.standard, name).c_str(),
                padded(range_text(option), range).c_str(), option.help.c_str());
  const std::string more = remarks(capabilities(variant));
  if (!more.empty()) std::printf("  %s\n", more.c_str());
}

void print_table() {
  print_overview();
  std::printf(
      "\ncausal: no output depends on a later token; cross: takes keys and values from another sequence;\n"
      "exact: equals full attention under its mask. n: tokens, w: keys a query sees. Options and sources:\n");
  for (const Variant* variant : variants()) print_details(*variant);
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
  out["name"] = v.name, out["summary"] = v.summary, out["time"] = v.time, out["memory"] = v.memory;
  out["source"] = v.source, out["can"] = Json::object(), out["options"] = Json::array();
  for (const auto& [name, trait] : kTraits) out["can"][name] = can.*trait;
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

// (H, T, S) of a mixer with random parameters on random tokens. In f64: a weight of 0 then is a pair that is not
// visible, and not one that is too small for a float.
Tensor weights_of(const Show& s, const std::string& spec) {
  const NoGrad no_grad;
  const auto mixer = make_mixer(spec, {.C = 32 * s.heads, .heads = s.heads, .max_length = s.length});
  HEED_CHECK(!s.causal || mixer->can().causal, "show", spec, " has no causal form; leave --causal away");
  mixer->initialise(uint32_t(s.seed));
  mixer->cast_parameters(f64);
  Context ctx;
  ctx.seed = uint32_t(s.seed);
  const Tensor x =
      normal({1, s.length, 32 * s.heads}, {.seed = uint32_t(s.seed), .site = site_hash("show")}, 0, 1, f64);
  return select(mixer->weights(mixer->widen(x), {.mask = {.causal = s.causal}}, ctx), 0, 0);
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
         "; time " + variant.time + ", memory " + variant.memory;
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

int body(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "show") return show(argc - 1, argv + 1);
  std::string command = "list";
  bool json = false;
  CommandLine line("attention", "Lists the attention variants, or draws one: `attention show --help`.");
  line.word("command", command, "what to do", {"list", "show"});
  line.json(json);
  if (!line.parse(argc, argv)) return line.exit_code();
  HEED_CHECK(command == "list", "attention", "`show` comes first: attention show SPEC");
  json ? print_json() : print_table();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run("attention", body, argc, argv); }
