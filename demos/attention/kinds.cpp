// What the pictures of the atlas show: masks of 64 tokens, which stand for 1024.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>

#include "attention/biases/bias.h"
#include "demos/attention/atlas.h"
#include "demos/attention/attention.h"
#include "show/svg.h"
#include "system/error.h"
#include "system/text.h"
#include "tensor/ops/concatenate.h"

using namespace heed;

namespace {

constexpr long kScale = 16, kSideScale = 4;  // a picture of 64 tokens stands for 1024; sides of a grid grow by less

// "128" -> "8", "0/256" -> "0/16"; what is no list of whole numbers stays
std::string smaller(const std::string& value, long scale) {
  const auto known = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) || c == '/' || c == 'x' || c == '+';
  };
  if (!std::all_of(value.begin(), value.end(), known)) return value;
  std::string out;
  for (size_t i = 0; i < value.size();) {
    size_t end = i;
    while (end < value.size() && std::isdigit(static_cast<unsigned char>(value[end]))) end++;
    if (end == i) {
      out += value[i++];
      continue;
    }
    const long number = number_in<long>(value.substr(i, end - i)).value_or(0);
    out += std::to_string(number >= scale ? number / scale : number);
    i = end;
  }
  return out;
}

std::string small_value(const VariantOption& option, const std::string& value) {
  static const std::set<std::string> biases = [] {
    std::set<std::string> names;
    for (const VariantOption& each : bias_options()) names.insert(each.name);
    return names;
  }();
  if (biases.contains(option.name) || !option.choices.empty()) return value;
  const long scale = option.parted_by == 'x' ? kSideScale : kScale;
  if (option.name == "grid") return smaller(value, scale) == value ? value : "8x8";
  return smaller(value, scale);
}

// Layers that differ stand behind each other, as heads do.
Tensor weights_of(const std::string& spec, bool causal) {
  const Tensor first = drawn_weights({.spec = spec, .causal = causal, .layer = 0, .layers = 2});
  const Tensor second = drawn_weights({.spec = spec, .causal = causal, .layer = 1, .layers = 2});
  return concatenate({first, second}, 0);
}

bool sees_all(const Tensor& weights) {
  const std::vector<double> all = weights.to_vector<double>();
  return std::none_of(all.begin(), all.end(), [](double w) { return w == 0; });
}

AtlasKind kind_of(const std::string& spec, const std::string& drawn) {
  AtlasKind kind{.spec = spec, .drawn = drawn};
  const Capabilities can = capabilities(drawn);
  kind.map.both = weights_of(drawn, false);
  if (can.causal) kind.map.causal = weights_of(drawn, true);
  kind.map.strength = !can.exact && sees_all(kind.map.both);  // only its weights tell it from full attention
  return kind;
}

}  // namespace

// What is not said in the spec is made smaller, too, but for sizes, and beside sizes: those are of another form.
std::string small_spec(const std::string& spec) {
  const Variant& variant = find_variant(spec);
  const std::vector<VariantOption> options = variant.options();
  const VariantOptions values(spec, variant.name, options);
  const auto given = [&](const VariantOption& o) {
    return spec.find(":" + o.name + "=") != std::string::npos || spec.find("," + o.name + "=") != std::string::npos;
  };
  const bool sized = std::any_of(options.begin(), options.end(), [&](const VariantOption& o) {
    return o.parted_by == 'x' && o.name != "grid" && given(o);
  });
  std::vector<std::string> words;
  for (const VariantOption& option : options) {
    if (!given(option) && (sized || option.parted_by == 'x')) continue;
    const std::string value = small_value(option, values.word(option.name));
    if (value != option.standard) words.push_back(option.name + "=" + value);
  }
  return variant.name + (words.empty() ? "" : ":" + joined(words, ","));
}

std::vector<AtlasKind> kinds_of(const Variant& variant) {
  std::vector<AtlasKind> kinds;
  for (const std::string& spec : shown_specs(variant)) {
    try {
      kinds.push_back(kind_of(spec, small_spec(spec)));
    } catch (const Error& error) {  // its numbers do not go with 64 tokens: then as it is
      std::fprintf(stderr, "%s is drawn as it is: %s\n", spec.c_str(), error.what());
      kinds.push_back(kind_of(spec, spec));
    }
  }
  return kinds;
}

void add_legend(Page& page) {
  std::vector<Page::Legend> legend;
  for (const auto& [colour, meaning] : attention_colours()) legend.push_back({colour, meaning});
  page.legend(legend);
}

std::string kind_svg(const AtlasKind& kind, double side) {
  Svg svg(side, side);
  draw_attention_map(svg, {0, 0, side, side}, kind.map);
  return svg.str();
}
