// The texts that charlm learns, heed's own source and docs among them.
#include <filesystem>
#include <sstream>

#include "demos/charlm/charlm.h"
#include "system/error.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

// The sources stand in the folder above the program's own (build/charlm), or in the current one.
fs::path own_source() {
  std::error_code none;
  for (const fs::path& place : {fs::read_symlink("/proc/self/exe", none).parent_path().parent_path(), fs::path(".")})
    if (fs::exists(place / "tensor/tensor.h", none) && fs::exists(place / "README.md", none)) return place;
  fail("charlm", "heed's own source is not beside this program; give a text to learn: --data FILE");
}

}  // namespace

ByteData open_data(const std::string& data) {
  if (data != "self") return ByteData::open(data);
  std::vector<std::string> paths;
  const fs::path root = own_source();
  std::istringstream parts("README.md CONTRIBUTING.md docs " HEED_TREES
                           " demos bench tests");  // the Makefile says them
  for (std::string part; parts >> part;)
    if (fs::exists(root / part)) paths.push_back((root / part).string());
  return ByteData::open(paths);
}
