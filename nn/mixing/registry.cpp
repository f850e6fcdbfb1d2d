#include "nn/mixing/registry.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "system/nearest.h"
#include "system/spec.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr SpecRule kRule{"attention"};

const VariantOption& find_option(const std::string& variant, const std::string& name,
                                 const std::vector<VariantOption>& known) {
  std::vector<std::string> names;
  for (const VariantOption& option : known) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  fail_unknown(variant.c_str(), "option", name, names);
}

// One value, or one of several
void check_part(const std::string& variant, const VariantOption& option, const std::string& value) {
  if (option.choices.empty())
    number_of(variant.c_str(), {option.name, value}, option.low, option.high);
  else if (std::find(option.choices.begin(), option.choices.end(), value) == option.choices.end())
    fail_unknown(variant.c_str(), option.name.c_str(), value, option.choices);
}

void check_value(const std::string& variant, const VariantOption& option, const std::string& value) {
  if (!option.parted_by) return check_part(variant, option, value);
  std::vector<std::string> parts = split(value, option.parted_by);
  for (const std::string& part : parts) check_part(variant, option, part);
  if (option.parted_by != '+') return;
  std::sort(parts.begin(), parts.end());
  const auto twice = std::adjacent_find(parts.begin(), parts.end());
  HEED_CHECK(twice == parts.end(), variant.c_str(), "got ", option.name, "=", value, "; ", *twice,
             " is there twice, and in a set every word stands once");
}

MixerOptions completed(MixerOptions s) {
  HEED_CHECK(s.C >= 1 && s.heads >= 1, "attention", "C is ", s.C, " and heads is ", s.heads,
             "; both must be at least 1");
  HEED_CHECK(s.head_width > 0 || s.C % s.heads == 0, "attention", "C is ", s.C, " and heads is ", s.heads,
             "; heads must divide C, or head_width must be given");
  HEED_CHECK(s.head_width >= 0 && s.value_width >= 0, "attention", "head_width is ", s.head_width,
             " and value_width is ", s.value_width, "; both must be at least 1, or 0 for C / heads");
  if (s.head_width == 0) s.head_width = s.C / s.heads;
  if (s.value_width == 0) s.value_width = s.head_width;
  if (s.key_heads == 0) s.key_heads = s.heads;
  HEED_CHECK(s.key_heads >= 1 && s.heads % s.key_heads == 0, "attention", "heads is ", s.heads, " and key_heads is ",
             s.key_heads, "; key_heads must divide heads");
  HEED_CHECK(s.dropout >= 0 && s.dropout < 1, "attention", "dropout is ", s.dropout, "; the rule is 0 <= p < 1");
  HEED_CHECK(
      !s.rotary || s.head_width % 2 == 0, "attention", "a head has ", s.head_width,
      " channels; rotary positions rotate them in pairs, so their number must be even. Use other heads or positions");
  return s;
}

}  // namespace

VariantOption yes_or_no(const std::string& name, const std::string& help, bool standard) {
  return {.name = name, .help = help, .standard = standard ? "yes" : "no", .choices = {"no", "yes"}};
}

VariantOptions::VariantOptions(const std::string& spec, const std::string& variant,
                               const std::vector<VariantOption>& known)
    : variant_(variant) {
  const Spec given(spec, kRule);
  for (const auto& [name, value] : given.options) {
    check_value(variant, find_option(variant, name, known), value);
    values_.emplace(name, value);
  }
  for (const VariantOption& option : known) {
    values_.emplace(option.name, option.standard);
    if (option.parted_by) parted_by_.emplace(option.name, option.parted_by);
  }
}

const std::string& VariantOptions::word(const std::string& name) const { return values_.at(name); }
double VariantOptions::real(const std::string& name) const { return number_in<double>(word(name)).value_or(NAN); }

long VariantOptions::number(const std::string& name) const {
  return whole_number_of(variant_.c_str(), {name, word(name)}, -DBL_MAX, DBL_MAX);
}

bool VariantOptions::yes(const std::string& name) const { return word(name) == "yes"; }

std::vector<std::string> VariantOptions::words(const std::string& name) const {
  return split(word(name), parted_by_.at(name));
}

std::vector<long> VariantOptions::numbers(const std::string& name) const {
  std::vector<long> all;
  for (const std::string& part : words(name))
    all.push_back(whole_number_of(variant_.c_str(), {name, part}, -DBL_MAX, DBL_MAX));
  return all;
}

std::string VariantOptions::spec() const {
  std::vector<SpecOption> options;
  for (const auto& [name, value] : values_) options.push_back({name, value});
  return spec_text(variant_, options);
}

std::vector<const Variant*> variants() { return all_variants.all(); }

std::vector<std::string> shown_specs(const Variant& variant) {
  return variant.shown.empty() ? std::vector<std::string>{variant.name} : variant.shown;
}

const Variant& find_variant(const std::string& spec) { return all_variants.find(Spec(spec, kRule).name); }

std::unique_ptr<Mixer> make_mixer(const std::string& spec, const MixerOptions& options) {
  const Variant& variant = find_variant(spec);
  auto mixer = variant.make(VariantOptions(spec, variant.name, variant.options()), completed(options));
  mixer->introduce(variant.name, options.max_length);
  HEED_CHECK(!options.rotary || mixer->can().rotary, variant.name.c_str(),
             "rotary positions were asked for; its scores are more than dot products of queries and keys. Use learned "
             "positions");
  return mixer;
}

std::vector<std::string> layer_specs(const std::string& list, long layers) {
  std::vector<std::string> specs;
  for (const std::string& part : split(list, ';')) {
    const size_t star = part.rfind('*');
    const std::string spec = part.substr(0, star);
    const long times = star == std::string::npos ? 1 : number_in<long>(part.substr(star + 1)).value_or(0);
    HEED_CHECK(!spec.empty() && times >= 1, "attention", "'", list, "' has '", part,
               "' where an attention is expected; the rule is spec;spec*2;spec, with *n for n layers of one kind");
    for (long i = 0; i < times && long(specs.size()) <= layers; i++) specs.push_back(spec);
  }
  HEED_CHECK(long(specs.size()) <= std::max(1L, layers), "attention", "'", list,
             "' is longer than the stack, which has ", layers, layers == 1 ? " attention" : " attentions",
             "; name one for each layer, or fewer that repeat");
  for (size_t i = 0; long(specs.size()) < layers; i++) specs.push_back(specs[i]);
  return specs;
}

std::unique_ptr<Mixer> make_layer_mixer(const std::string& list, const MixerOptions& options) {
  return make_mixer(layer_specs(list, options.layers)[size_t(options.layer)], options);
}

}  // namespace heed
