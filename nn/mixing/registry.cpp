#include "nn/mixing/registry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "system/nearest.h"
#include "system/text.h"

namespace heed {
namespace {

const VariantOption& find_option(const std::string& variant, const std::string& name,
                                 const std::vector<VariantOption>& known) {
  std::vector<std::string> names;
  for (const VariantOption& option : known) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  fail_unknown(variant.c_str(), "option", name, names);
}

std::string plain(double x) {  // 1000000, not 1e+06
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed).ptr);
}

void check_value(const std::string& variant, const VariantOption& option, const std::string& text) {
  const double value = number_in<double>(text).value_or(NAN);
  if (option.choices.empty())
    HEED_CHECK(value >= option.low && value <= option.high && std::isfinite(value), variant.c_str(), "got ",
               option.name, "=", text, "; it must be a number from ", plain(option.low), " to ", plain(option.high));
  else if (std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end())
    fail_unknown(variant.c_str(), option.name.c_str(), text, option.choices);
}

MixerSizes completed(MixerSizes s) {
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

VariantOptions::VariantOptions(const std::string& spec, const std::string& variant,
                               const std::vector<VariantOption>& known)
    : variant_(variant) {
  for (size_t at = spec.find(':'); at != std::string::npos;) {
    const size_t end = std::min(spec.find(',', at + 1), spec.size());
    const std::string part = spec.substr(at + 1, end - at - 1), name = part.substr(0, part.find('='));
    HEED_CHECK(part.find('=') != std::string::npos, "attention", "'", spec, "' has '", part,
               "' where an option is expected; the rule is name:option=value,option=value");
    const VariantOption& option = find_option(variant, name, known);
    const std::string value = part.substr(part.find('=') + 1);
    check_value(variant, option, value);
    HEED_CHECK(values_.emplace(name, value).second, "attention", "'", spec, "' gives ", name, " twice");
    at = end == spec.size() ? std::string::npos : end;
  }
  for (const VariantOption& option : known) values_.emplace(option.name, option.standard);
}

const std::string& VariantOptions::word(const std::string& name) const { return values_.at(name); }
double VariantOptions::real(const std::string& name) const { return number_in<double>(word(name)).value_or(NAN); }

long VariantOptions::number(const std::string& name) const {
  const double value = real(name);
  HEED_CHECK(value == std::floor(value), variant_.c_str(), "got ", name, "=", word(name),
             "; it must be a whole number");
  return long(value);
}

std::string VariantOptions::spec() const {
  std::string text = variant_;
  char separator = ':';
  for (const auto& [name, value] : values_)
    text.append(1, separator).append(name).append("=").append(value), separator = ',';
  return text;
}

std::vector<const Variant*> variants() { return all_variants.all(); }
const Variant& find_variant(const std::string& spec) { return all_variants.find(spec.substr(0, spec.find(':'))); }

std::unique_ptr<Mixer> make_mixer(const std::string& spec, const MixerSizes& sizes) {
  const Variant& variant = find_variant(spec);
  auto mixer = variant.make(VariantOptions(spec, variant.name, variant.options), completed(sizes));
  HEED_CHECK(!sizes.rotary || mixer->can().rotary, variant.name.c_str(),
             "rotary positions were asked for; its scores are more than dot products of queries and keys. Use learned "
             "positions");
  return mixer;
}

}  // namespace heed
