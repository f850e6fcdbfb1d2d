// What `build/bench variants` finds out about a variant: its time and memory at each length, held against full
// attention of the same run.
#pragma once

#include <optional>

#include "bench/run.h"
#include "bench/variant_work.h"

namespace heed::bench {

struct VariantCell {
  long n = 0;
  double forward = 0, both = 0;            // seconds; both: forward and backward
  double full_forward = 0, full_both = 0;  // of full attention, in the same turns
  Quartiles ratio = {};                    // of full's time over its own, both
  double pairs = 0, full_pairs = 0;
  double peak = 0;  // bytes alive at most in `both`, with q, k, v and the gradient that is given

  // How much of the speed that its fewer pairs allow it reaches; 0: it weighs no pairs.
  double share() const { return pairs > 0 ? ratio.middle * pairs / full_pairs : 0; }
};

struct MeasuredVariant {
  std::string spec;
  double bar = 0;          // of its share; 0: nothing is demanded
  bool both_ways = false;  // not causal, although it could be
  std::string name() const { return spec + (both_ways ? ", both ways" : ""); }
};

struct VariantRow {
  std::string name, spec = {}, problem = {};
  VariantForm form = {};
  double bar = 0;                       // of its share at 8192 and 16384; 0: nothing is demanded
  std::vector<VariantCell> cells = {};  // by rising n
  bool stopped = false;                 // longer texts would take more than 10 seconds

  const VariantCell* at(long n) const;  // null: it was not measured
};

// From which length on it is faster than full attention, between the lengths by powers of n; nothing if it is not at
// the longest one measured. The first length if it is faster everywhere.
std::optional<double> crossover(const VariantRow& row);

// Every shown spec of every registered variant, and those that have a bar, if their options are known here: a bar may
// be there before its variant is.
std::vector<MeasuredVariant> shown_variants(const std::vector<MeasuredVariant>& bars);

// All of them at all lengths, in turns with full attention of the same form. `seconds` for the turns of each length.
std::vector<VariantRow> measure_variants(const std::vector<MeasuredVariant>& variants, const std::vector<long>& lengths,
                                         double seconds);

std::string crossover_text(const VariantRow& row);  // "from 1290", "everywhere", "nowhere"
std::string table(const std::vector<VariantRow>& rows);
std::string markdown(const Report& report, const std::vector<VariantRow>& rows);
Json::Array json_of(const std::vector<VariantRow>& rows);
std::string svg(const Report& report, const std::vector<VariantRow>& rows);  // how many times as fast as full

}  // namespace heed::bench
