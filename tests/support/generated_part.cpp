#include "tests/support/generated_part.h"

#include <cstdlib>
#include <fstream>

#include "tests/support/folder.h"

void check_generated(const GeneratedPart& part, const std::string& text) {
  const std::string whole = read_file(part.path);
  const size_t begin = whole.find(part.begin), end = whole.find(part.end);
  BOOST_REQUIRE(begin != std::string::npos);
  BOOST_REQUIRE(end != std::string::npos);
  const size_t from = begin + part.begin.size();
  if (std::getenv("HEED_UPDATE")) {
    std::ofstream(part.path) << whole.substr(0, from) + text + whole.substr(end);
    return;
  }
  BOOST_CHECK_MESSAGE(whole.substr(from, end - from) == text,
                      "the table is out of date; type  HEED_UPDATE=1 make test T=" + part.test);
}
