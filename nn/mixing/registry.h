// The registry: every attention variant by its name. A variant is made from a spec,
//
//   "full"      "window:left=128"      "window:left=64,right=64,dilation=2"      "full:bias=alibi"
//
// a name and options; layers that differ have a list, "local*2;full". What is unknown is an error that lists what there
// is and suggests the nearest. A variant registers itself: adding one is adding a file (attention/README.md shows one
// of about 40 lines).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/mixing/cost.h"
#include "nn/mixing/mixer.h"
#include "system/registry.h"

namespace heed {

struct VariantOption {
  std::string name, help;
  std::string standard;                   // the default, as in a spec
  double low = 0, high = 1e9;             // of a number
  std::vector<std::string> choices = {};  // of a word; empty: a number is wanted
  // Several values in one: '/' parts a list ("shares=10/2"), 'x' sizes ("grid=32x32"), '+' a set of words, each once
  // ("kinds=random+dense"); 0: there is one value.
  char parted_by = 0;
};
VariantOption yes_or_no(const std::string& name, const std::string& help, bool standard);

// The options of one spec: given ones and defaults, checked against the variant's list.
class VariantOptions {
 public:
  VariantOptions(const std::string& spec, const std::string& variant, const std::vector<VariantOption>& known);
  long number(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& word(const std::string& name) const;
  bool yes(const std::string& name) const;                        // of yes_or_no
  std::vector<long> numbers(const std::string& name) const;       // of an option that is parted
  std::vector<std::string> words(const std::string& name) const;  // likewise
  std::string spec() const;  // with every option written out: "window:left=128,right=-1,dilation=1"

 private:
  std::string variant_;
  std::map<std::string, std::string> values_;
  std::map<std::string, char> parted_by_;
};

struct Variant {
  std::string name = {}, summary = {};  // one line
  std::string formula = {};             // what a query collects, as one line
  Cost time = {}, memory = {};          // measured by the property suite
  std::string source = {};              // the paper: authors and year
  int year = 0;
  std::string when = {}, when_not = {};  // where it pays off, and where it loses
  std::vector<std::string> shown = {};   // specs for tables and pictures; {}: the bare name
  // Asked for when a spec is read: some options are choices among what registers itself, in any order.
  std::function<std::vector<VariantOption>()> options = [] { return std::vector<VariantOption>(); };
  std::function<std::unique_ptr<Mixer>(const VariantOptions& options, const MixerOptions& mixer)> make = {};
};
std::vector<std::string> shown_specs(const Variant& variant);

// A static object of this type puts a variant into the registry, for as long as it lives.
inline constinit Registry<Variant> all_variants{"attention", "variant"};
using RegisteredVariant = Registration<all_variants>;

std::vector<const Variant*> variants();                // by name; throws if two have the same, and so do the next two
const Variant& find_variant(const std::string& spec);  // by the name in front of the colon
std::unique_ptr<Mixer> make_mixer(const std::string& spec, const MixerOptions& options);

// The specs of a stack's attentions, one for each of `layers`. A list is parted by ';', '*n' repeats, and after its end
// it begins anew: "local*2;full" is local, local, full, local, local, ... A list that is longer than the stack is an
// error.
std::vector<std::string> layer_specs(const std::string& list, long layers);
// The mixer of layer number `options.layer` of `options.layers`.
std::unique_ptr<Mixer> make_layer_mixer(const std::string& list, const MixerOptions& options);

}  // namespace heed
