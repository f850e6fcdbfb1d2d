#include "data/listops.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <unordered_set>

#include "system/error.h"
#include "system/spec.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr const char* kOp = "listops";
constexpr const char* kOperators = "nxds";  // as bytes
const std::string kWords[] = {"[MIN", "[MAX", "[MED", "[SM"};
constexpr int kDepth = 10;

// One tree: number `tree` of the seed, by draws that are a function of both.
class Tree {
 public:
  Tree(uint32_t seed, uint64_t tree, long limit) : seed_(seed), tree_(tree), limit_(limit) { grow(1); }
  bool fits() const { return long(bytes_.size()) < limit_; }
  const std::string& bytes() const { return bytes_; }

 private:
  uint32_t draw() {  // 32 bits
    const uint32_t i = draws_++;
    if (i % 4 == 0) four_ = philox({site_hash(kOp), uint32_t(tree_), uint32_t(tree_ >> 32), i / 4}, seed_);
    return four_[i % 4];
  }
  uint32_t below(uint32_t n) { return uint32_t(uint64_t(draw()) * n >> 32); }

  void grow(int depth) {
    if (!fits()) return;  // it will not be taken
    if (depth == kDepth || draw() >= 1u << 30) {
      bytes_ += char('0' + below(10));
      return;
    }
    bytes_ += kOperators[below(4)];
    const uint32_t arguments = 2 + below(9);
    for (uint32_t i = 0; i < arguments; i++) grow(depth + 1);
    bytes_ += ']';
  }

  uint32_t seed_;
  uint64_t tree_;
  long limit_;
  uint32_t draws_ = 0;
  Philox4 four_ = {};
  std::string bytes_;
};

int applied(char op, std::vector<int> values) {
  if (op == 's') return std::accumulate(values.begin(), values.end(), 0) % 10;
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  if (op == 'd') return (values[(n - 1) / 2] + values[n / 2]) / 2;
  return op == 'n' ? values.front() : values.back();
}

struct Open {  // an operator whose bracket is not closed yet
  char op;
  std::vector<int> values;
};

bool is_operator(char c) { return c != 0 && std::string(kOperators).find(c) != std::string::npos; }

}  // namespace

int listops_value(const std::string& bytes) {
  std::vector<Open> open = {{0, {}}};  // the last value is the whole's
  for (size_t i = 0; i < bytes.size(); i++) {
    const char c = bytes[i];
    const bool closes = c == ']' && open.size() > 1 && !open.back().values.empty();
    HEED_CHECK(is_operator(c) || closes || (c >= '0' && c <= '9'), kOp, "'", bytes, "' is no expression: byte ", i,
               c == ']' ? " closes what was not opened, or is empty" : " is no digit, operator or ]");
    if (is_operator(c)) {
      open.push_back({c, {}});
    } else if (closes) {
      const int value = applied(open.back().op, open.back().values);
      open.pop_back();
      open.back().values.push_back(value);
    } else {
      open.back().values.push_back(c - '0');
    }
  }
  HEED_CHECK(open.size() == 1 && open[0].values.size() == 1, kOp, "'", bytes,
             "' is no expression: ", open.size() > 1 ? "a bracket is not closed" : "it must have one value");
  return open[0].values[0];
}

std::string listops_words(const std::string& bytes) {
  std::string words;
  for (const char c : bytes) {
    if (!words.empty()) words += ' ';
    words += is_operator(c) ? kWords[std::string(kOperators).find(c)] : std::string(1, c);
  }
  return words;
}

std::string listops_bytes(const std::string& words) {
  std::istringstream in(words);
  std::string bytes;
  for (std::string word; in >> word;) {
    const auto found = std::find(std::begin(kWords), std::end(kWords), word);
    HEED_CHECK(found != std::end(kWords) || word.size() == 1, kOp, "there is no '", word,
               "'; an expression has digits, [MIN, [MAX, [MED, [SM and ]");
    bytes += found != std::end(kWords) ? kOperators[found - std::begin(kWords)] : word[0];
  }
  return bytes;
}

LabelledText listops(const ListOpsOptions& o) {
  constexpr long kPatience = 100000;  // trees in a row of which none is new and of the right length
  const long shortest = o.shortest < 0 ? o.longest / 4 : o.shortest;
  std::vector<LabelledRow> rows;
  std::unordered_set<std::string> taken;
  long in_vain = 0;
  for (uint64_t number = 0; long(rows.size()) < o.examples; number++) {
    HEED_CHECK(++in_vain < kPatience, kOp, "there are hardly more than ", rows.size(), " expressions of ", shortest,
               " < length < ", o.longest, "; ", o.examples, " were asked for. Ask for fewer, or for longer ones");
    const Tree tree(o.seed, number, o.longest);
    if (!tree.fits() || long(tree.bytes().size()) <= shortest || !taken.insert(tree.bytes()).second) continue;
    rows.push_back({std::to_string(listops_value(tree.bytes())), tree.bytes(), long(rows.size()) + 1});
    in_vain = 0;
  }
  return LabelledText::of(rows, kOp);
}

ListOpsOptions listops_options(const std::string& spec, const ListOpsOptions& standard) {
  ListOpsOptions o = standard;
  const Spec parsed(spec, {.op = kOp});
  HEED_CHECK(parsed.name == kOp, kOp, "'", spec, "' does not begin with listops");
  for (const SpecOption& option : parsed.options) {
    if (option.name == "examples")
      o.examples = whole_number_of(kOp, option, 3, 1e8);
    else if (option.name == "longest")
      o.longest = whole_number_of(kOp, option, 8, 1e6);
    else if (option.name == "shortest")
      o.shortest = whole_number_of(kOp, option, 0, 1e6);
    else if (option.name == "seed")
      o.seed = uint32_t(whole_number_of(kOp, option, 0, 4294967295.0));
    else
      fail(kOp, "there is no option '", option.name, "'; there are examples, longest, shortest, seed");
  }
  return o;
}

}  // namespace heed
