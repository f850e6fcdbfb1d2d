// The Python of docs/python.md computes what charlm computes. It is run where there is a python with PyTorch: the one
// that HEED_PYTHON names, or that of `make peer`.
#include <cstdlib>

#include "system/json.h"
#include "system/write_file.h"
#include "tests/demos/charlm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(python_test)

namespace {

std::string python_of_docs() {
  const std::string page = read_file("docs/python.md"), open = "```python\n";
  const size_t begin = page.find(open) + open.size();
  BOOST_REQUIRE(begin > open.size());
  return page.substr(begin, page.find("```", begin) - begin);
}

// A python that imports torch; empty if there is none.
std::string python_with_torch() {
  const char* named = std::getenv("HEED_PYTHON");
  for (const std::string path : {named ? named : "", "build/peer/bin/python"}) {
    if (path.empty()) continue;
    if (std::system(("'" + path + "' -c 'import torch' > /dev/null 2>&1").c_str()) == 0) return path;
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(python_reads_a_checkpoint_and_finds_the_same_bits_per_byte) {
  const std::string python = python_with_torch();
  if (python.empty()) {
    BOOST_TEST_MESSAGE("skipped: neither HEED_PYTHON nor build/peer is a python with PyTorch");
    return;
  }
  for (const char* positions : {"rotary", "learned"}) {
    const Trained t({"--layers", "2", "--lr", "0.02", "--steps", "60", "--positions", positions});
    const std::string script = t.folder / "charlm.py", out = t.folder / "python.out";
    write_file(script, python_of_docs());
    const std::string command =
        "'" + python + "' '" + script + "' '" + newest_checkpoint(t.run) + "' '" + t.data + "' > '" + out + "'";
    BOOST_TEST(std::system(command.c_str()) == 0);
    BOOST_TEST(read_file(out) == last_line(t({"eval", "--run", t.run, "--data", t.data}).out) + "\n", positions);
  }
}

BOOST_AUTO_TEST_SUITE_END()
