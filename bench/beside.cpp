#include "bench/beside.h"

#include "system/text.h"

namespace heed::bench {
namespace {

constexpr int kRounds = 3;

std::string bar_text(const Beside& beside, const BesideRow& row) {
  if (row.bar == 0) return "";
  const auto verdict = [](bool met) { return std::string(met ? " met" : " SHORT"); };
  std::string text = format("%gx", row.bar) + verdict(row.ratio.middle >= row.bar);
  if (beside.bytes > 0)
    text += format(", %g", kMostOfPeerBytes) + verdict(row.bytes <= kMostOfPeerBytes * beside.bytes);
  return text;
}

const std::vector<std::string> kHeads = {"variant", "ours",         "PyTorch", "ratio (quartiles)",
                                         "memory",  "of PyTorch's", "bar"};

std::vector<std::string> texts(const Beside& beside, const BesideRow& row) {
  return {row.name,
          time_text(row.ours.middle),
          time_text(beside.seconds),
          ratio_text(row.ratio.middle) + " (" + ratio_text(row.ratio.low) + " to " + ratio_text(row.ratio.high) + ")",
          megabytes(row.bytes),
          beside.bytes > 0 ? format("%.2f", row.bytes / beside.bytes) : "",
          bar_text(beside, row)};
}

}  // namespace

Beside beside_peer(Worker& peer, const std::string& request, const std::vector<BesideWork>& works, double seconds) {
  Beside beside;
  try {
    beside.problem = peer.prepare(request);
    if (!beside.problem.empty()) return beside;
    std::vector<Side> sides = {peer.side()};
    for (const BesideWork& work : works) sides.push_back(own_side(work.action));
    for (size_t i = 2; i < sides.size(); i++) sides[i].cpu_seconds = nullptr;  // one of ours tells for all
    const auto turns = take_turns(sides, seconds, kRounds);
    beside.seconds = quartiles(turns[0]).middle;
    for (size_t i = 0; i < works.size(); i++)
      beside.rows.push_back({.name = works[i].name,
                             .ours = quartiles(turns[i + 1]),
                             .ratio = quartiles(pairwise_ratios(turns[0], turns[i + 1])),
                             .bar = works[i].bar,
                             .bytes = works[i].bytes});
    beside.bytes = std::stod(peer.ask("memory"));
  } catch (const std::exception& error) {
    beside.problem = error.what();
  }
  return beside;
}

std::string table(const Beside& beside) {
  std::string out;
  for (const BesideRow& row : beside.rows) {
    const std::vector<std::string> t = texts(beside, row);
    out += format("%-32s %9s %9s  %-24s %9s %6s  ", t[0].c_str(), t[1].c_str(), t[2].c_str(), t[3].c_str(),
                  t[4].c_str(), t[5].c_str()) +
           t[6] + "\n";
  }
  return out + (beside.problem.empty() ? "" : beside.problem + "\n");
}

std::string markdown(const Beside& beside) {
  std::string out = "|", rule = "|";
  for (const std::string& head : kHeads)
    out += " " + head + " |", rule += head == "variant" || head == "bar" ? "---|" : "--:|";
  out += "\n" + rule + "\n";
  for (const BesideRow& row : beside.rows) {
    for (const std::string& text : texts(beside, row)) out += "| " + text + " ";
    out += "|\n";
  }
  return out;
}

Json::Array json_of(const Beside& beside) {
  Json::Array list;
  for (const BesideRow& row : beside.rows)
    list.push_back(Json::Object{{"variant", row.name},
                                {"seconds", row.ours.middle},
                                {"peer_seconds", beside.seconds},
                                {"ratio", Json::Array{row.ratio.low, row.ratio.middle, row.ratio.high}},
                                {"bytes", row.bytes},
                                {"peer_bytes", beside.bytes},
                                {"bar_ratio", row.bar}});
  return list;
}

}  // namespace heed::bench
