// The table of `build/bench packages`: a row is a layer of a package beside one of our variants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/harness.h"

namespace heed::bench {

struct PackageRow {
  std::string title;         // the name of its cases, before ", fwd" and ", f+b"
  std::string package = {};  // on PyPI, in lower case and with hyphens; empty: PyTorch itself
  std::string layer;         // the function in bench/peer_packages.py that makes the layer
  std::string spec;          // ours
  bool causal = true;
  bool bias = true;       // in our projections
  double bar = 0;         // for forward and backward; 0: none
  std::string about;      // the layer in the package's words
  std::string note = {};  // where its formula differs from ours; empty: it is the same
};

std::vector<PackageRow> package_rows();
std::vector<Case> package_cases(const std::vector<PackageRow>& rows);  // two each: forward, and forward and backward

// Cases are known by their names: the row that one was made of.
const PackageRow& row_of(const Case& work, const std::vector<PackageRow>& rows);
// Those of a package with a problem become ours alone, with the reason as their remark.
void leave_out(std::vector<Case>& cases, const std::vector<PackageRow>& rows,
               const std::map<std::string, std::string>& problems);

}  // namespace heed::bench
