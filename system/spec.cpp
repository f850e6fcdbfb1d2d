#include "system/spec.h"

#include <charconv>
#include <cmath>

#include "system/error.h"
#include "system/text.h"

namespace heed {
namespace {

std::string digits_of(double x) {  // 1000000, not 1e+06
  char text[400];                  // the largest double has 309
  return std::string(text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed).ptr);
}

}  // namespace

Spec::Spec(const std::string& text, const SpecRule& rule) {
  const size_t colon = text.find(':');
  const bool all_name = colon == std::string::npos && (rule.name_needed || text.find('=') == std::string::npos);
  if (all_name || colon != std::string::npos) name = text.substr(0, colon);
  if (all_name) return;
  for (const std::string& part : split(text.substr(colon + 1), ',')) {  // without a colon from npos + 1 = 0
    const size_t equals = part.find('=');
    HEED_CHECK(equals != std::string::npos, rule.op, "'", text, "' has '", part,
               "' where an option is expected; the rule is ", rule.rule);
    const SpecOption option{part.substr(0, equals), part.substr(equals + 1)};
    for (const SpecOption& before : options)
      HEED_CHECK(before.name != option.name, rule.op, "'", text, "' gives ", option.name, " twice");
    options.push_back(option);
  }
}

std::string spec_text(const std::string& name, const std::vector<SpecOption>& options) {
  std::string text = name;
  char separator = ':';
  for (const SpecOption& option : options) {
    text += separator + option.name + "=" + option.value;
    separator = ',';
  }
  return text;
}

double number_of(const char* op, const SpecOption& option, double low, double high) {
  const double value = number_in<double>(option.value).value_or(NAN);
  HEED_CHECK(value >= low && value <= high && std::isfinite(value), op, "got ", option.name, "=", option.value,
             "; it must be a number from ", digits_of(low), " to ", digits_of(high));
  return value;
}

long whole_number_of(const char* op, const SpecOption& option, double low, double high) {
  const double value = number_of(op, option, low, high);
  HEED_CHECK(value == std::floor(value), op, "got ", option.name, "=", option.value, "; it must be a whole number");
  return long(value);
}

}  // namespace heed
