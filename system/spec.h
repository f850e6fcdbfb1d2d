// A spec: a name and its options, as users write them on a command line and in a settings file,
//
//   full        window:left=128        window:left=64,right=64,dilation=2        cosine:warmup=100,floor=0.1
//
// This is the one parser of such texts. It knows no option: nn/mixing/registry.h and train/schedule.h say which there
// are, and take the values with the functions below.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct SpecOption {
  std::string name, value;
};

// What differs from user to user.
struct SpecRule {
  const char* op;                                       // who speaks in errors: "attention"
  const char* rule = "name:option=value,option=value";  // as errors tell it
  bool name_needed = true;                              // false: "left=3" is options without a name
};

struct Spec {
  std::string name;                 // in front of the colon; may be empty
  std::vector<SpecOption> options;  // in the order given, each name once

  // Throws "attention: 'window:left' has 'left' where an option is expected; the rule is ...", and for an option that
  // is given twice.
  Spec(const std::string& text, const SpecRule& rule);
};

std::string spec_text(const std::string& name, const std::vector<SpecOption>& options);  // what Spec reads

// The value of an option. "window: got left=many; it must be a number from -1 to 1000000", "... a whole number".
double number_of(const char* op, const SpecOption& option, double low, double high);  // finite
long whole_number_of(const char* op, const SpecOption& option, double low, double high);

}  // namespace heed
