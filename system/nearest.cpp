#include "system/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "system/error.h"
#include "system/text.h"

namespace heed {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

// How many letters have to be changed, left out, added or swapped with a neighbour to make a into b.
size_t changes(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& given, const std::vector<std::string>& known) {
  std::string nearest;
  size_t least = std::max<size_t>(2, given.size() / 3) + 1;
  for (const std::string& name : known) {
    const size_t distance = changes(lower(given), lower(name));
    if (distance < std::min(least, name.size())) least = distance, nearest = name;
  }
  return nearest;
}

void fail_unknown(const char* op, const char* what, const std::string& given, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(given, known), all = known.empty() ? "none at all" : joined(known, ", ");
  fail(op, "there is no ", what, " '", given, "'; there are ", all, nearest.empty() ? "" : ". Did you mean ", nearest,
       nearest.empty() ? "" : "?");
}

}  // namespace heed
