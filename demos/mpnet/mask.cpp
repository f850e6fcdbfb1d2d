// mpnet mask: a text of yours in the three objectives: what is predicted from what, and who sees whom.
#include <cstdio>
#include <numeric>
#include <set>
#include <sstream>

#include "demos/mpnet/mpnet.h"
#include "system/error.h"
#include "system/text.h"
#include "system/write_file.h"

using namespace heed;

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// "1,3,5,4,6,2": every word once, by its number from 1 on
std::vector<long> order_of(const std::string& text, long n) {
  std::vector<long> order;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const auto number = number_in<long>(part);
    HEED_CHECK(number && *number >= 1 && *number <= n, "mask", "'", part, "' in the order ", text,
               " is no word's number; they go from 1 to ", n);
    order.push_back(*number - 1);
  }
  HEED_CHECK(long(order.size()) == n && long(std::set<long>(order.begin(), order.end()).size()) == n, "mask",
             "the order ", text, " must name each of the ", n, " words once, such as 1,3,2 for three");
  return order;
}

// The last words of the order are predicted.
Factorisation factorised(std::vector<long> order, double share) {
  const long n = long(order.size()), count = predicted_count(n, share);
  HEED_CHECK(count < n, "mask", "the text has ", n, n == 1 ? " word" : " words", ", and ", count,
             count == 1 ? " is" : " are",
             " to be predicted from the others: it is shorter than its mask. Give a longer "
             "text, or a smaller --predicted");
  Factorisation result{.visible = {order.begin(), order.end() - count},
                       .predicted = {order.end() - count, order.end()}};
  std::sort(result.visible.begin(), result.visible.end());
  return result;
}

}  // namespace

int mask_command(int argc, char** argv) {
  std::string text = "the task is sentence classification", order, out = "runs/mpnet-mask";
  double share = 0.4;
  CommandLine line(
      "mpnet mask",
      "Shows a text in the three objectives: what is predicted from what, and who sees whom. Its words are\n"
      "tokens, and the last of them are predicted, one after the other.");
  line.option("--text", text, "the text");
  line.option("--predicted", share, "the share of its words that is predicted");
  line.option("--order", order, "the words in another order, such as 1,3,5,4,2; if nothing is said, as they stand");
  line.option("--out", out, "the picture, without its ending: PNG and SVG are written");
  if (!line.parse(argc, argv)) return line.exit_code();
  check_predicted_share("mask", share);
  MaskExample example{.words = words_of(text), .order = {}};
  std::vector<long> numbers(example.words.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  HEED_CHECK(!numbers.empty(), "mask", "the text has no word; give one with --text");
  example.order = factorised(order.empty() ? numbers : order_of(order, long(numbers.size())), share);
  check_writable(out + ".png");
  std::printf("%s", mask_text(example).c_str());
  mask_picture(example).write_png(out + ".png");
  write_file(out + ".svg", mask_svg(example));
  std::printf("the picture is %s.png, and %s.svg\n", out.c_str(), out.c_str());
  return 0;
}
