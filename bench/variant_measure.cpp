// measure_variants: at each length all variants of one form take turns with full attention, so that its seconds are
// spent once for all of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "bench/variant_rows.h"
#include "system/error.h"

namespace heed::bench {
namespace {

constexpr double kLongest = 10;  // seconds: a forward and backward that would take more is not begun

// Twice the length takes four times the time, or grows as between the last two, and at least in proportion.
double predicted(const VariantRow& row, long n) {
  if (row.cells.empty()) return 0;
  const VariantCell& last = row.cells.back();
  const double longer = double(n) / double(last.n);
  if (row.cells.size() < 2) return last.both * longer * longer;
  const VariantCell& before = row.cells[row.cells.size() - 2];
  const double power = std::log(last.both / before.both) / std::log(double(last.n) / double(before.n));
  return last.both * std::pow(longer, std::max(1.0, power));
}

// Few rounds where a turn takes long.
int fewest_rounds(long n) { return n <= 2048 ? 7 : n <= 4096 ? 5 : 3; }

struct Entry {
  VariantRow* row;  // null: full attention, which the others are held against
  VariantWork work;
  double peak;
};

// All are this process: one tells for all whether it is at rest.
void add_sides(std::vector<Side>& sides, const VariantWork& work) {
  for (const Action& action : {work.forward, work.both}) {
    sides.push_back(own_side(action));
    if (sides.size() > 1) sides.back().cpu_seconds = nullptr;
  }
}

VariantCell cell_of(long n, const std::vector<Entry>& entries, const std::vector<std::vector<double>>& turns,
                    size_t i) {
  VariantCell cell{.n = n};
  cell.forward = quartiles(turns[2 * i]).middle, cell.both = quartiles(turns[2 * i + 1]).middle;
  cell.full_forward = quartiles(turns[0]).middle, cell.full_both = quartiles(turns[1]).middle;
  cell.ratio = quartiles(pairwise_ratios(turns[1], turns[2 * i + 1]));
  cell.pairs = entries[i].work.pairs, cell.full_pairs = entries[0].work.pairs;
  cell.peak = entries[i].peak;
  return cell;
}

Entry entry_of(VariantRow* row, const std::string& spec, long n, const VariantForm& form) {
  VariantWork work = variant_work(spec, n, form);
  work.both();                                                     // makes what is kept
  const double peak = peak_bytes(work.both) + least_bytes(n) / 2;  // q, k, v and do were there before
  return {row, std::move(work), peak};
}

// Those of one form at one length. One that cannot says why, and the others can.
void measure(const std::vector<VariantRow*>& rows, long n, const VariantForm& form, double seconds) {
  std::vector<Entry> entries;
  entries.push_back(entry_of(nullptr, "full", n, form));
  for (VariantRow* row : rows) {
    if (row->spec != "full") row->stopped = row->stopped || predicted(*row, n) > kLongest;  // full runs anyway
    if (row->stopped || !row->problem.empty()) continue;
    const Transient line("n " + std::to_string(n) + ": " + row->spec + " ...");
    try {
      entries.push_back(row->spec == "full" ? Entry{row, entries[0].work, entries[0].peak}
                                            : entry_of(row, row->spec, n, form));
    } catch (const Error& error) {
      row->problem = "n " + std::to_string(n) + ": " + error.what();
    }
  }
  const Transient line("n " + std::to_string(n) + ": turns of " + std::to_string(entries.size()) + " variants ...");
  std::vector<Side> sides;
  for (const Entry& entry : entries) add_sides(sides, entry.work);
  const auto turns = take_turns(sides, seconds, fewest_rounds(n));
  for (size_t i = 1; i < entries.size(); i++) entries[i].row->cells.push_back(cell_of(n, entries, turns, i));
}

}  // namespace

std::vector<VariantRow> measure_variants(const std::vector<MeasuredVariant>& variants, const std::vector<long>& lengths,
                                         double seconds) {
  std::vector<VariantRow> rows;
  for (const MeasuredVariant& each : variants)
    rows.push_back({.name = each.name(), .spec = each.spec, .bar = each.bar});
  std::map<VariantForm, std::vector<VariantRow*>> by_form;
  for (size_t i = 0; i < rows.size(); i++) try {
      rows[i].form = form_of(rows[i].spec);
      if (variants[i].both_ways) rows[i].form.causal = false;
      by_form[rows[i].form].push_back(&rows[i]);
    } catch (const Error& error) {
      rows[i].problem = error.what();
    }
  for (const long n : lengths)
    for (const auto& [form, some] : by_form) measure(some, n, form, seconds);
  return rows;
}

}  // namespace heed::bench
