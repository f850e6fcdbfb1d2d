#include "data/listops.h"

#include <algorithm>
#include <set>

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(listops_test)

namespace {

int value(const std::string& words) { return listops_value(listops_bytes(words)); }

// Another way to the value: by recursion.
int evaluated(const std::string& bytes, size_t& at) {
  const char c = bytes[at++];
  if (c >= '0' && c <= '9') return c - '0';
  std::vector<int> values;
  while (bytes[at] != ']') values.push_back(evaluated(bytes, at));
  at++;
  std::sort(values.begin(), values.end());
  int sum = 0;
  for (const int one : values) sum += one;
  const size_t n = values.size(), half = n / 2;
  if (c == 'd') return n % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  return c == 's' ? sum % 10 : c == 'n' ? values[0] : values[n - 1];
}

int deepest(const std::string& bytes) {
  int depth = 1, most = 1;
  for (const char c : bytes) {
    depth += c == ']' ? -1 : c >= 'a' ? 1 : 0;
    most = std::max(most, depth);
  }
  return most;
}

}  // namespace

BOOST_AUTO_TEST_CASE(expressions_have_their_value) {
  BOOST_TEST(value("[MAX 4 3 [MIN 2 3 ] 1 0 [MED 1 5 8 9 2 ] ]") == 5);
  BOOST_TEST(value("[MIN 4 3 9 ]") == 3);
  BOOST_TEST(value("[SM 9 8 7 ]") == 4);
  BOOST_TEST(value("[MED 1 4 ]") == 2);  // 2.5, rounded down
  BOOST_TEST(value("[MED 9 1 2 8 ]") == 5);
  BOOST_TEST(value("7") == 7);
  BOOST_TEST(listops_bytes("[SM 1 [MED 2 3 ] ]") == "s1d23]]");
  BOOST_TEST(listops_words("s1d23]]") == "[SM 1 [MED 2 3 ] ]");
}

BOOST_AUTO_TEST_CASE(what_is_no_expression_is_refused) {
  const auto error = [](const std::string& bytes) { return error_of([&] { listops_value(bytes); }); };
  BOOST_TEST(error("n12") == "listops: 'n12' is no expression: a bracket is not closed");
  BOOST_TEST(error("12") == "listops: '12' is no expression: it must have one value");
  BOOST_TEST(error("n]") == "listops: 'n]' is no expression: byte 1 closes what was not opened, or is empty");
  BOOST_TEST(error("?") == "listops: '?' is no expression: byte 0 is no digit, operator or ]");
  BOOST_TEST(error_of([] { listops_bytes("[MUL 1 2 ]"); }) ==
             "listops: there is no '[MUL'; an expression has digits, [MIN, [MAX, [MED, [SM and ]");
}

BOOST_AUTO_TEST_CASE(generated_ones_are_right_and_new_and_within_their_bounds) {
  const LabelledText data = listops({.examples = 400, .longest = 200});
  BOOST_TEST(data.labels.size() == 10u);
  BOOST_TEST(data.labels[3] == "3");
  std::set<std::string> texts;
  int depth = 0;
  for (const LabelledExample& example : data.all()) {
    size_t at = 0;
    BOOST_TEST(evaluated(example.text, at) == example.label);
    BOOST_TEST(at == example.text.size());
    BOOST_TEST((example.text.size() > 50 && example.text.size() < 200));
    texts.insert(example.text);
    depth = std::max(depth, deepest(example.text));
  }
  BOOST_TEST(texts.size() == 400u);
  BOOST_TEST(depth <= 10);
  BOOST_TEST(depth >= 9);
}

BOOST_AUTO_TEST_CASE(the_seed_decides_all) {
  const ListOpsOptions o{.examples = 100, .longest = 100};
  ListOpsOptions other = o;
  other.seed = 2;
  BOOST_TEST(listops(o).fingerprint == listops(o).fingerprint);
  BOOST_TEST(listops(o).fingerprint != listops(other).fingerprint);
  BOOST_TEST(listops(o).fingerprint == "100 texts, crc32 521451ee");  // the same on every machine
}

BOOST_AUTO_TEST_CASE(a_spec_says_the_options) {
  const ListOpsOptions o = listops_options("listops:examples=50,longest=64,shortest=9,seed=3");
  BOOST_TEST(o.examples == 50);
  BOOST_TEST(o.longest == 64);
  BOOST_TEST(o.shortest == 9);
  BOOST_TEST(o.seed == 3u);
  BOOST_TEST(listops_options("listops", {.longest = 99}).longest == 99);
  BOOST_TEST(error_of([] { listops_options("listops:depth=3"); }) ==
             "listops: there is no option 'depth'; there are examples, longest, shortest, seed");
  BOOST_TEST(error_of([] { listops({.examples = 500, .longest = 5, .shortest = 2}); }) ==  // [MIN 0 0 ] to [SM 9 9 ]
             "listops: there are hardly more than 400 expressions of 2 < length < 5; 500 were asked for. Ask for "
             "fewer, or for longer ones");
}

BOOST_AUTO_TEST_SUITE_END()
