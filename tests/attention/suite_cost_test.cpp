// Properties of the property suite: time and memory grow as the variant declares. Nothing is timed: memory is the peak
// of the allocator, and work is what the kernels were told to do, bytes that they touch and products that they make.
#include "tensor/allocator.h"
#include "tensor/profile.h"
#include "tests/oracle/suite.h"

using namespace heed;

namespace {

// Growth from n to 2n tokens. At most a tenth more than declared; and who declares n^2 must need clearly more than n,
// or the variant is better than it says.
struct Grown {
  long n;
  double growth;
  bool usual;  // the bare name; other specs that are shown may be better
};
void check_growth(const std::string& what, const Cost& declared, const Grown& grown, Findings& found) {
  const auto& [n, growth, usual] = grown;
  const double want = declared.times(2, double(n));
  found.check(growth <= 1.1 * want, what, " grows ", growth, " times from ", n, " to ", 2 * n, " tokens; declared is ",
              declared.text());
  const double least = usual && declared.growth == Growth::square ? 1.5 * 2 : 0;
  found.check(growth >= least, what, " grows only ", growth, " times; declared is ", declared.text());
}

// Measures a forward and a backward pass of one spec at n and 2n tokens. Costs are declared for the specs that are
// shown: options can make any window as long as the text.
template <class Measure>
void check_shown(const Trial& trial, Cost Variant::*cost, const char* what, Findings& found, Measure&& measure) {
  const Variant& variant = find_variant(trial.variant);
  for (const std::string& spec : shown_specs(variant)) {
    const auto at = found.at(spec);
    const long usual = variant.time.growth == Growth::square ? 512 : 2048;  // several times the usual windows
    const long n = trial.oracle->cost_length > 0 ? trial.oracle->cost_length : usual;
    Trial shown(spec, *trial.oracle, trial.make);
    const auto pass = [&](long T) {
      Context ctx;
      shown.sizes.max_length = T;  // parameters per position grow too
      const auto mixer = shown.mixer(f32);
      const Tensor x = shown.x(1, T, f32);
      return measure([&] { results(*mixer, x, causal_if(shown.can.causal), ctx); });
    };
    const double once = pass(n), twice = pass(2 * n);
    check_growth(what, variant.*cost, {n, twice / once, spec == variant.name}, found);
  }
}

std::string not_first(const Trial& trial) {
  return trial.spec == trial.variant ? "" : "it is declared for the variant";
}

const RegisteredProperty memory{
    {.name = "memory_grows_as_declared", .does_not_apply = not_first, .check = [](const Trial& trial, Findings& found) {
       check_shown(trial, &Variant::memory, "memory", found, [](auto&& pass) {
         release_cache();
         reset_peak();
         const size_t before = memory_stats().live;
         pass();
         return double(memory_stats().peak - before);
       });
     }}};

const RegisteredProperty work{
    {.name = "work_grows_as_declared", .does_not_apply = not_first, .check = [](const Trial& trial, Findings& found) {
       check_shown(trial, &Variant::time, "work", found, [](auto&& pass) {
         Profile profile;
         pass();
         profile.stop();
         double work = 0;
         for (const ProfileRow& row : profile.rows()) work += row.bytes + row.flops;
         return work;
       });
     }}};

}  // namespace
