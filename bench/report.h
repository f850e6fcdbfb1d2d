// What the harness tells: a table for people while it runs, and the same as Markdown, JSON and a picture.
#pragma once

#include "bench/harness.h"
#include "system/json.h"
#include "system/quantities.h"

namespace heed::bench {

struct Report {
  std::string benchmark;  // "kernels"
  std::string command;    // what makes it again
  std::string machine;    // the line that programs print at start, and the CPU
  std::string peer;       // who the peer is: "PyTorch 2.15.0, 2 threads, AVX2"; empty: there is none
  std::string peer_name;  // in short: "PyTorch"
  std::vector<Result> results = {};
  double others = -1;  // cores that other programs kept busy meanwhile; -1: not known
};

constexpr double kDisturbed = 0.1;  // cores in the hands of others: more than this, and figures are not to be trusted

std::string table_head(const Report& report);
std::string table_line(const Result& result);
std::string verdict(const Result& result);  // "0.95x met", "1x met, 60% SHORT", "3x ?"
std::string summary(const Report& report);  // the bars, and how quiet the machine was: two lines

std::string markdown(const Report& report);
std::string json(const Report& report);
std::string json(const Report& report, Json::Array results);  // of a benchmark whose results are of another kind
// Bars of the ratio to the peer, or of the share of the machine's limit if there is no peer.
std::string svg(const Report& report);

// The text with what stands between the lines `<!-- NAME -->` and `<!-- end NAME -->` replaced. Without these lines:
// the new text alone.
std::string replaced_between(const std::string& text, const std::string& name, const std::string& by);

std::string speed_text(const Case& work, double speed);  // "123 GFLOP/s", "12.3 GB/s"

}  // namespace heed::bench
