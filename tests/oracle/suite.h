// The property suite: what must hold for every registered variant, whatever it is. A property is a claim with a
// function that tries it on one spec of one variant; it registers itself, and so does a variant, so that neither is on
// a list. tests/attention/suite_*_test.cpp has the properties, suite_test.cpp makes a test case of every pair,
//
//   build/tests --run_test='suite/values_are_those_of_the_dense_computation/window'
//
// Findings are collected as text instead of failing at once: so the suite can be tried on mixers that are wrong on
// purpose (suite_mutants_test.cpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "system/function_ref.h"
#include "tests/oracle/dense.h"

using MakeMixer = std::function<std::unique_ptr<heed::Mixer>(const std::string& spec, const heed::MixerOptions&)>;

// ---- what is tried

// A spec of a variant, with its options read once
struct Trial {
  std::string variant, spec;
  const Oracle* oracle;
  heed::VariantOptions options;
  heed::MixerOptions sizes;  // complete
  MakeMixer make;
  bool many = true;  // try many lengths; a variant with many specs tries them on the first three only
  heed::Capabilities can = {};

  Trial(const std::string& spec, const Oracle& oracle, const MakeMixer& make = heed::make_mixer);
  long C() const { return sizes.C; }
  // A mixer with weights of about 1 / sqrt(C), so that scores matter, and biases that are not zero.
  std::unique_ptr<heed::Mixer> mixer(heed::DType dtype = heed::f64) const { return mixer(dtype, sizes); }
  std::unique_ptr<heed::Mixer> mixer(heed::DType dtype, const heed::MixerOptions& sizes) const;
  OracleCase oracle_case(heed::Mixer& mixer, const heed::Mask& mask, heed::DType dtype) const {
    return OracleCase(options, sizes, mixer, mask, dtype);
  }
  heed::Tensor x(long B, long T, heed::DType dtype = heed::f64, uint32_t seed = 1) const;
  std::vector<bool> causal_or_not() const;
  Sees sees() const;  // of the oracle; it must have it
};

std::vector<std::string> variant_names();  // every registered variant; not before main: they register in any order
// The bare name and what its oracle adds. Throws, naming the file to write, if there is no oracle.
std::vector<std::string> specs_of(const std::string& variant);
std::vector<Trial> trials_of(const std::string& variant);  // HEED_CASE=<spec> in the environment leaves one of them
std::unique_ptr<heed::Mixer> mixer_of(const std::string& spec, heed::DType dtype = heed::f64,
                                      const heed::MixerOptions& sizes = kOracleSizes);

// ---- what is found

class Findings {
 public:
  long checks = 0;
  std::vector<std::string> complaints = {};

  template <class... Parts> bool check(bool holds, const Parts&... parts) {
    checks++;
    if (!holds) complain(text(parts...));
    return holds;
  }
  // |got - want| <= tolerance * max(1, |want|) everywhere
  void close(const std::string& what, const heed::Tensor& got, const heed::Tensor& want, double tolerance);
  void same(const std::string& what, const heed::Tensor& got, const heed::Tensor& want);  // to the last bit
  // f throws an Error with this text in it
  void refuses(const std::string& what, heed::FunctionRef<void()> f, const std::string& sentence);

  // What it says comes in front of all complaints as long as it lives.
  class Where {
   public:
    Where(std::vector<std::string>& places, std::string place) : places_(places) { places_.push_back(place); }
    ~Where() { places_.pop_back(); }
    Where(const Where&) = delete;
    Where& operator=(const Where&) = delete;

   private:
    std::vector<std::string>& places_;
  };
  template <class... Parts> [[nodiscard]] Where at(const Parts&... parts) { return Where(places_, text(parts...)); }
  void complain(const std::string& what);

 private:
  template <class... Parts> static std::string text(const Parts&... parts) {
    std::ostringstream all;
    (all << ... << parts);
    return all.str();
  }
  std::vector<std::string> places_ = {};
};

struct Property {
  std::string name;                                       // a claim
  std::string (*does_not_apply)(const Trial&) = nullptr;  // why not; "": it does
  void (*check)(const Trial&, Findings&);
};
inline constinit heed::Registry<Property> all_properties{"suite", "property"};
using RegisteredProperty = heed::Registration<all_properties>;

// Tries it, if it applies. An exception is a complaint.
struct Verdict {
  std::string does_not_apply = {};
  Findings findings = {};
};
Verdict verdict(const Property& property, const Trial& trial);

std::string result_file(const std::string& name);  // build/<name>, beside the test program

// ---- what properties share

// The mixer with the nodes around it that it wants: narrow(forward(widen(x)))
heed::Variable run(heed::Mixer& mixer, const heed::Variable& x, const heed::MixIn& in, heed::Context& ctx);

// The output, and the gradients of sum(output * dy)
struct Results {
  heed::Tensor y, dx;
  std::map<std::string, heed::Tensor> gradients = {};  // of the parameters that have one, by path
};
Results results(heed::Mixer& mixer, const heed::Tensor& x, const heed::MixIn& in, heed::Context& ctx,
                const heed::Tensor& dy = {});  // undefined: noise
inline Results results(heed::Mixer& mixer, const heed::Tensor& x, const heed::Mask& mask, heed::Context& ctx,
                       const heed::Tensor& dy = {}) {
  return results(mixer, x, heed::MixIn{.mask = mask}, ctx, dy);
}
Results results_of(const Trial& trial, const OracleCase& c, const heed::Tensor& x, const heed::Tensor& dy = {});

heed::Mask causal_if(bool causal);
heed::Tensor rows(const heed::Tensor& y, long begin, long end);  // of (B, T, C), contiguous
heed::Tensor sample(const heed::Tensor& y, long b);
inline constexpr double kExact = 1e-11;  // f64: the same sums of products of normal numbers in another order
