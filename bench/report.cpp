#include "bench/report.h"

#include <algorithm>

#include "system/text.h"

namespace heed::bench {
namespace {

std::string plain(double x) { return format("%.4g", x); }
const char* unit_of(const Case& work) { return counts_operations(work.limit) ? "GFLOP/s" : "GB/s"; }
std::string range_text(const Quartiles& q) {
  return ratio_text(q.low).substr(0, ratio_text(q.low).size() - 1) + " to " + ratio_text(q.high);
}

std::string own_speed_text(const Result& r) { return r.has_speed() ? speed_text(r.work, r.speed()) : ""; }

// Of other work of our own only the time means something: the amount is not its amount.
std::string peer_text(const Result& r) {
  if (!r.has_peer()) return "";
  return r.against_ourselves() || !r.has_speed() ? time_text(r.peer.middle) : speed_text(r.work, r.peer_speed());
}

std::string share_text(const Result& r) {
  if (r.limit == 0) return "";
  constexpr const char* names[] = {"peak", "product", "copy", "read"};
  return format("%.0f%% of %s", 100 * r.share(), names[int(r.work.limit)]);
}

enum class Verdict { open, met, missed };
Verdict judge(double value, double bar) {
  return value == 0 ? Verdict::open : value >= bar ? Verdict::met : Verdict::missed;
}

struct Judged {
  std::string what;
  Verdict verdict;
};

std::vector<Judged> judged(const Result& r) {
  std::vector<Judged> list;
  if (r.work.bar.ratio > 0) list.push_back({plain(r.work.bar.ratio) + "x", judge(r.ratio.middle, r.work.bar.ratio)});
  if (r.work.bar.share > 0) list.push_back({plain(100 * r.work.bar.share) + "%", judge(r.share(), r.work.bar.share)});
  return list;
}

Json json_of(const Quartiles& q) { return Json::Array{q.low, q.middle, q.high}; }

Json json_of(const Result& r) {
  Json out = Json::object();
  out["group"] = r.work.group, out["name"] = r.work.name;
  if (r.has_speed()) out["amount"] = r.work.amount, out["unit"] = unit_of(r.work), out["speed"] = r.speed();
  out["seconds"] = json_of(r.ours);
  if (r.has_peer()) {
    out["peer_seconds"] = json_of(r.peer), out["ratio"] = json_of(r.ratio);
    if (r.against_ourselves()) out["peer"] = "ourselves";
    if (r.has_speed() && !r.against_ourselves()) out["peer_speed"] = r.peer_speed();
  }
  if (r.limit > 0) out["limit"] = r.limit, out["share"] = r.share();
  if (r.work.bar.ratio > 0) out["bar_ratio"] = r.work.bar.ratio;
  if (r.work.bar.share > 0) out["bar_share"] = r.work.bar.share;
  if (!r.note.empty()) out["note"] = r.note;
  return out;
}

Json json_head(const Report& report) {
  Json out = Json::object();
  out["benchmark"] = report.benchmark, out["command"] = report.command, out["machine"] = report.machine;
  out["peer"] = report.peer;
  return out;
}

// A bar would end the cell of the table.
std::string cell_text(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

std::string markdown_row(const Result& r) {
  std::string row = "| " + r.work.name + " | " + time_text(r.ours.middle) + " | " + own_speed_text(r) + " | ";
  row += peer_text(r) + " | ";
  if (r.has_peer()) row += "**" + ratio_text(r.ratio.middle) + "** (" + range_text(r.ratio) + ")";
  return row + " | " + share_text(r) + " | " + verdict(r) + (r.note.empty() ? "" : " (" + cell_text(r.note) + ")") +
         " |\n";
}

}  // namespace

std::string speed_text(const Case& work, double speed) { return three_digits(speed) + " " + unit_of(work); }

std::string verdict(const Result& result) {
  std::string out;
  for (const Judged& bar : judged(result))
    out += (out.empty() ? "" : ", ") + bar.what +
           (bar.verdict == Verdict::open  ? " ?"
            : bar.verdict == Verdict::met ? " met"
                                          : " SHORT");
  return out;
}

std::string table_head(const Report& report) {
  return format("%-34s %9s %15s %15s %7s %13s %12s  %s", "work", "ours", "speed", report.peer_name.c_str(),
                report.peer.empty() ? "" : "ratio", report.peer.empty() ? "" : "its quartiles", "share", "bar");
}

std::string table_line(const Result& r) {
  std::string line =
      format("%-34s %9s %15s", r.work.name.c_str(), time_text(r.ours.middle).c_str(), own_speed_text(r).c_str());
  line += format(" %15s %7s %13s", peer_text(r).c_str(), r.has_peer() ? ratio_text(r.ratio.middle).c_str() : "",
                 r.has_peer() ? range_text(r.ratio).c_str() : "");
  line += format(" %12s  ", share_text(r).c_str()) + verdict(r);
  if (!r.note.empty()) line += "  (" + r.note + ")";
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string summary(const Report& report) {
  int bars = 0, measured = 0, met = 0;
  std::vector<double> spreads;
  for (const Result& r : report.results) {
    for (const Judged& bar : judged(r)) {
      bars++;
      measured += bar.verdict != Verdict::open;
      met += bar.verdict == Verdict::met;
    }
    spreads.push_back((r.ours.high - r.ours.low) / r.ours.middle);
  }
  std::string out = format("%d of %d bars measured: %d met, %d short\n", measured, bars, met, measured - met);
  out += format("between the quartiles of our turns lie %.0f%% of the median", 100 * quartiles(spreads).middle);
  if (report.others >= 0) out += format("; other programs kept %.2f cores busy", report.others);
  if (report.others > kDisturbed) out += ": measure again when the machine is quiet";
  return out;
}

std::string markdown(const Report& report) {
  const std::string peer = report.peer.empty() ? "peer" : report.peer_name;
  std::string out = "Made by `" + report.command + "` on " + report.machine +
                    (report.peer.empty() ? "" : "; peer: " + report.peer) + ".\n\n";
  out += "| work | ours | speed | " + peer + " | ratio (quartiles) | share | bar |\n|---|--:|--:|--:|--:|--:|---|\n";
  std::string group;
  for (const Result& r : report.results) {
    if (r.work.group != group) out += "| *" + r.work.group + "* | | | | | | |\n";
    group = r.work.group;
    out += markdown_row(r);
  }
  std::string end = summary(report);
  end.replace(end.find('\n'), 1, "; ");
  return out + "\n" + end + ".\n";
}

std::string json(const Report& report) {
  Json out = json_head(report);
  out["cores_taken_by_others"] = report.others;
  out["about"] =
      "three numbers are the lower quartile, the median and the upper quartile; ratio: the peer's seconds over ours";
  out["results"] = Json::array();
  for (const Result& result : report.results) out["results"].push_back(json_of(result));
  return out.dump(1) + "\n";
}

std::string json(const Report& report, Json::Array results) {
  Json out = json_head(report);
  out["results"] = std::move(results);
  return out.dump(1) + "\n";
}

std::string replaced_between(const std::string& text, const std::string& name, const std::string& by) {
  const std::string first = "<!-- " + name + " -->\n", last = "<!-- end " + name + " -->";
  const size_t from = text.find(first), to = text.find(last);
  if (from == std::string::npos || to == std::string::npos || to < from) return by;
  return text.substr(0, from + first.size()) + by + text.substr(to);
}

}  // namespace heed::bench
