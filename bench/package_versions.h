// Which versions of packages from PyPI the peer has: kept in bench/packages.txt, a line `name==version` for each
// package and for what it needs, and installed by bench/peer_install.py into the peer's virtual environment. A package
// that the file does not name is installed as it is today, and its line is added: so a first run fixes what later runs
// compare.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/harness.h"

namespace heed::bench {

using Versions = std::map<std::string, std::string>;  // by the package's name

// Throws where a line is neither `name==version` nor a comment (#). {} if there is no such file.
Versions read_versions(const std::string& path);
std::string versions_text(const Versions& versions);  // the file

struct Installed {
  Versions versions = {};                            // of the packages that were asked for
  std::map<std::string, std::string> problems = {};  // why a package is not there
  std::string text() const;                          // "; local-attention 1.11.2; linformer 0.2.3"
};

// Has these packages installed where the peer is a python, each by itself: one that cannot be stops no other. Empty
// names are PyTorch's own. packages.txt is the file beside the peer's script.
Installed install_packages(const Settings& settings, const std::vector<std::string>& packages);

}  // namespace heed::bench
