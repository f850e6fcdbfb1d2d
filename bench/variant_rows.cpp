#include "bench/variant_rows.h"

#include <algorithm>
#include <cmath>

#include "nn/mixing/registry.h"
#include "system/error.h"
#include "system/text.h"

namespace heed::bench {
namespace {

constexpr long kTold[] = {1024, 4096, 16384};  // the lengths in tables; JSON has all
constexpr long kSharesTold[] = {8192, 16384};  // where shares are held against bars

std::string length_text(long n) { return n % 1024 == 0 ? std::to_string(n / 1024) + "K" : std::to_string(n); }

bool is_known(const std::string& spec, const Variant& variant) try {
  return !VariantOptions(spec, variant.name, variant.options()).spec().empty();
} catch (const Error&) {
  return false;
}

std::string bar_text(const VariantRow& row) {
  if (row.bar == 0) return "";
  std::string verdict;
  for (const long n : kSharesTold)
    if (const VariantCell* cell = row.at(n)) verdict += cell->share() >= row.bar ? " met" : " SHORT";
  return format("%.2f", row.bar) + (verdict.empty() ? " ?" : verdict);
}

std::vector<std::string> heads() {
  std::vector<std::string> texts = {"variant", "causal"};
  for (const char* what : {"fwd ", "bwd ", "mem "})
    for (const long n : kTold) texts.push_back(what + length_text(n));
  texts.push_back("faster than full");
  for (const long n : kSharesTold) texts.push_back("share " + length_text(n));
  texts.push_back("bar");
  return texts;
}

std::vector<std::string> texts(const VariantRow& row) {
  std::vector<std::string> all = {row.name, row.form.causal ? "yes" : "no"};
  const auto add = [&](long n, const std::function<std::string(const VariantCell&)>& text) {
    const VariantCell* cell = row.at(n);
    all.push_back(cell ? text(*cell) : row.stopped ? "stopped" : "");
  };
  for (const long n : kTold) add(n, [](const VariantCell& c) { return time_text(c.forward); });
  for (const long n : kTold) add(n, [](const VariantCell& c) { return time_text(std::max(0.0, c.both - c.forward)); });
  for (const long n : kTold) add(n, [](const VariantCell& c) { return megabytes(c.peak); });
  all.push_back(crossover_text(row));
  for (const long n : kSharesTold)
    add(n, [](const VariantCell& c) { return c.share() > 0 ? format("%.2f", c.share()) : "-"; });
  all.push_back(bar_text(row));
  return all;
}

Json json_of(const VariantCell& c) {
  return Json::Object{{"n", c.n},
                      {"forward_seconds", c.forward},
                      {"both_seconds", c.both},
                      {"full_forward_seconds", c.full_forward},
                      {"full_both_seconds", c.full_both},
                      {"ratio", Json::Array{c.ratio.low, c.ratio.middle, c.ratio.high}},
                      {"pairs", c.pairs},
                      {"full_pairs", c.full_pairs},
                      {"share", c.share()},
                      {"peak_bytes", c.peak},
                      {"least_bytes", least_bytes(c.n)}};
}

Result result_of(const VariantRow& row, const VariantCell& cell) {
  Result result;
  result.work = {.group = "n " + std::to_string(cell.n), .name = row.name};
  result.ours = {cell.both, cell.both, cell.both}, result.peer = {cell.full_both, cell.full_both, cell.full_both};
  result.ratio = cell.ratio;
  const bool judged = std::find(std::begin(kSharesTold), std::end(kSharesTold), cell.n) != std::end(kSharesTold);
  if (judged && row.bar > 0) result.work.bar.ratio = row.bar * cell.full_pairs / cell.pairs;
  return result;
}

}  // namespace

const VariantCell* VariantRow::at(long n) const {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const VariantCell& cell) { return cell.n == n; });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<MeasuredVariant> shown_variants(const std::vector<MeasuredVariant>& bars) {
  std::vector<MeasuredVariant> list;
  for (const Variant* variant : variants()) {
    const long begin = long(list.size());
    for (const std::string& spec : shown_specs(*variant)) list.push_back({spec});
    for (const MeasuredVariant& bar : bars) {
      if (bar.spec.substr(0, bar.spec.find(':')) != variant->name || !is_known(bar.spec, *variant)) continue;
      const auto same = std::find_if(list.begin() + begin, list.end(),
                                     [&](const MeasuredVariant& each) { return each.name() == bar.name(); });
      if (same == list.end())
        list.push_back(bar);
      else
        same->bar = bar.bar;
    }
  }
  return list;
}

std::optional<double> crossover(const VariantRow& row) {
  size_t first = row.cells.size();  // of the last lengths, at which it is faster
  while (first > 0 && row.cells[first - 1].ratio.middle > 1) first--;
  if (first == row.cells.size()) return std::nullopt;
  const VariantCell& faster = row.cells[first];
  if (first == 0) return double(faster.n);
  const VariantCell& slower = row.cells[first - 1];
  const double low = std::log(slower.ratio.middle), high = std::log(faster.ratio.middle);
  return double(slower.n) * std::pow(double(faster.n) / double(slower.n), -low / (high - low));
}

std::string crossover_text(const VariantRow& row) {
  if (row.cells.empty() || row.spec == "full") return "";
  const std::optional<double> from = crossover(row);
  if (!from) return "nowhere";
  return *from <= double(row.cells[0].n) ? "everywhere" : "from " + std::to_string(std::lround(*from / 10) * 10);
}

std::string table(const std::vector<VariantRow>& rows) {
  std::vector<std::vector<std::string>> lines = {heads()};
  for (const VariantRow& row : rows) lines.push_back(texts(row));
  std::vector<size_t> widths(lines[0].size(), 0);
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); i++) widths[i] = std::max(widths[i], line[i].size());
  std::string out;
  for (size_t k = 0; k < lines.size(); k++) {
    for (size_t i = 0; i < lines[k].size(); i++)
      out += format(i < 2 ? "%-*s  " : "%*s  ", int(widths[i]), lines[k][i].c_str());
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
    if (k > 0 && !rows[k - 1].problem.empty()) out += "    " + rows[k - 1].problem + "\n";
  }
  return out;
}

std::string markdown(const Report& report, const std::vector<VariantRow>& rows) {
  std::string out = "Made by `" + report.command + "` on " + report.machine + ".\n\n|", rule = "\n|";
  const std::vector<std::string> head = heads();
  for (size_t i = 0; i < head.size(); i++) out += " " + head[i] + " |", rule += i < 2 ? "---|" : "--:|";
  out += rule + "\n";
  for (const VariantRow& row : rows) {
    for (const std::string& text : texts(row)) out += "| " + text + " ";
    out += "|\n";
  }
  return out;
}

Json::Array json_of(const std::vector<VariantRow>& rows) {
  Json::Array list;
  for (const VariantRow& row : rows) {
    Json out = Json::object();
    out["spec"] = row.name, out["variant"] = find_variant(row.spec).name;
    out["causal"] = row.form.causal, out["projections"] = row.form.projections;
    out["stopped"] = row.stopped;
    if (!row.problem.empty()) out["problem"] = row.problem;
    if (row.bar > 0) out["bar_share"] = row.bar;
    const std::optional<double> from = crossover(row);
    out["faster_from"] = from ? Json(*from) : Json();
    out["cells"] = Json::array();
    for (const VariantCell& cell : row.cells) out["cells"].push_back(json_of(cell));
    list.push_back(out);
  }
  return list;
}

std::string svg(const Report& report, const std::vector<VariantRow>& rows) {
  Report drawn = report;
  drawn.peer = "forward and backward; full attention in the same turns";
  drawn.peer_name = "its own full attention";
  for (const long n : kTold)
    for (const VariantRow& row : rows)
      if (const VariantCell* cell = row.at(n); cell && row.spec != "full")
        drawn.results.push_back(result_of(row, *cell));
  return svg(drawn);
}

}  // namespace heed::bench
