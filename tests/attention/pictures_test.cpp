// Golden pictures: who sees whom in 16 tokens, drawn from the weights of the mixers themselves, and closed formulas for
// the number of pairs. A picture is drawn by hand from the definition, so that it holds planner and oracle alike.
#include <algorithm>

#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// Rows of '#' (has weight) and '.', one head of one sample.
std::string picture(const std::string& spec, const Mask& mask, long n) {
  Context ctx;
  const auto weights =
      mixer_of(spec)->weights(noise({1, n, kOracleSizes.C}, 1), {.mask = mask}, ctx).to_vector<double>();
  std::string text;
  for (long i = 0; i < n * n; i++) text.append(weights[size_t(i)] > 0 ? "#" : ".").append(i % n == n - 1 ? "\n" : "");
  return text;
}

long pairs(const std::string& spec, bool causal, long n) {
  const std::string text = picture(spec, causal_if(causal), n);
  return std::count(text.begin(), text.end(), '#');
}

struct Picture {
  std::string spec;
  bool causal;
  long pairs;
  std::string text;
};

const std::vector<Picture> kPictures = {
    {"window:left=2,right=2", false, 74,
     "###.............\n####............\n#####...........\n.#####..........\n"
     "..#####.........\n...#####........\n....#####.......\n.....#####......\n"
     "......#####.....\n.......#####....\n........#####...\n.........#####..\n"
     "..........#####.\n...........#####\n............####\n.............###\n"},
    {"window:left=3,right=0", true, 58,
     "#...............\n##..............\n###.............\n####............\n"
     ".####...........\n..####..........\n...####.........\n....####........\n"
     ".....####.......\n......####......\n.......####.....\n........####....\n"
     ".........####...\n..........####..\n...........####.\n............####\n"},
    {"window:left=2,right=2,dilation=3", false, 62,
     "#..#..#.........\n.#..#..#........\n..#..#..#.......\n#..#..#..#......\n"
     ".#..#..#..#.....\n..#..#..#..#....\n#..#..#..#..#...\n.#..#..#..#..#..\n"
     "..#..#..#..#..#.\n...#..#..#..#..#\n....#..#..#..#..\n.....#..#..#..#.\n"
     "......#..#..#..#\n.......#..#..#..\n........#..#..#.\n.........#..#..#\n"},
    {"image-local:block=4,margin=4", true, 88,
     "#...............\n##..............\n###.............\n####............\n"
     "#####...........\n######..........\n#######.........\n########........\n"
     "....#####.......\n....######......\n....#######.....\n....########....\n"
     "........#####...\n........######..\n........#######.\n........########\n"},
    {"blockwise:blocks=4,shifts=1", false, 64,
     "....####........\n....####........\n....####........\n....####........\n"
     "........####....\n........####....\n........####....\n........####....\n"
     "............####\n............####\n............####\n............####\n"
     "####............\n####............\n####............\n####............\n"},
    {"longformer:window=1,at=0/8", false, 98,
     "################\n###.....#.......\n####....#.......\n#.###...#.......\n"
     "#..###..#.......\n#...###.#.......\n#....####.......\n#.....###.......\n"
     "################\n#.......###.....\n#.......####....\n#.......#.###...\n"
     "#.......#..###..\n#.......#...###.\n#.......#....###\n#.......#.....##\n"},
    {"longformer:window=2", false, 74,
     "###.............\n####............\n#####...........\n.#####..........\n"
     "..#####.........\n...#####........\n....#####.......\n.....#####......\n"
     "......#####.....\n.......#####....\n........#####...\n.........#####..\n"
     "..........#####.\n...........#####\n............####\n.............###\n"},
    {"longformer:window=3", true, 58,
     "#...............\n##..............\n###.............\n####............\n"
     ".####...........\n..####..........\n...####.........\n....####........\n"
     ".....####.......\n......####......\n.......####.....\n........####....\n"
     ".........####...\n..........####..\n...........####.\n............####\n"},
    {"longformer:window=2,dilation=3", false, 62,
     "#..#..#.........\n.#..#..#........\n..#..#..#.......\n#..#..#..#......\n"
     ".#..#..#..#.....\n..#..#..#..#....\n#..#..#..#..#...\n.#..#..#..#..#..\n"
     "..#..#..#..#..#.\n...#..#..#..#..#\n....#..#..#..#..\n.....#..#..#..#.\n"
     "......#..#..#..#\n.......#..#..#..\n........#..#..#.\n.........#..#..#\n"},
    // a causal global token sees its past, and all later ones see it
    {"longformer:window=1,at=0/4,causal_global=yes", true, 25,
     "#.......\n##......\n###.....\n#.##....\n#####...\n#...##..\n#...###.\n#...#.##\n"},
    // the margin is on both sides, and the last block may be short
    {"image-local:block=3,margin=2", false, 44,
     "#####...\n#####...\n#####...\n.#######\n.#######\n.#######\n....####\n....####\n"},
};

// Pairs of a window of w keys on either side
long window_pairs(long n, long w) { return n <= w ? n * n : n * (2 * w + 1) - w * (w + 1); }
long causal_window_pairs(long n, long w) { return n < w ? n * (n + 1) / 2 : n * (w + 1) - w * (w + 1) / 2; }

}  // namespace

BOOST_AUTO_TEST_SUITE(pictures_test)

BOOST_AUTO_TEST_CASE(mixers_see_what_is_drawn_here) {
  for (const Picture& want : kPictures) BOOST_TEST_CONTEXT(want.spec) {
      const std::string name = want.spec.substr(0, want.spec.find(':'));
      if (!all_variants.find_or_null(name)) continue;  // not yet there
      const long n = long(want.text.find('\n'));
      BOOST_TEST(picture(want.spec, causal_if(want.causal), n) == want.text);
      BOOST_TEST(std::count(want.text.begin(), want.text.end(), '#') == want.pairs);
    }
}

BOOST_AUTO_TEST_CASE(the_number_of_pairs_is_that_of_the_closed_formula) {
  for (long n : {1, 2, 3, 7, 16, 17, 31, 64, 65}) BOOST_TEST_CONTEXT("n " << n) {
      BOOST_TEST(pairs("full", false, n) == n * n);
      BOOST_TEST(pairs("full", true, n) == n * (n + 1) / 2);
      BOOST_TEST(pairs("window:left=3,right=3", false, n) == window_pairs(n, 3));
      BOOST_TEST(pairs("window:left=3,right=0", true, n) == causal_window_pairs(n, 3));
      const long g = std::min(n, 2L), m = n - g;  // the others see the globals and a window over themselves
      BOOST_TEST(pairs("longformer:window=3", false, n) == window_pairs(n, 3));
      BOOST_TEST(pairs("longformer:window=3,globals=2", false, n) == g * n + m * g + window_pairs(m, 3));
      const long whole = n / 5, rest = n % 5;  // blocks of 5, the last one may be short
      BOOST_TEST(pairs("local:block=5", false, n) == whole * 25 + rest * rest);
      BOOST_TEST(pairs("local:block=5", true, n) == whole * 15 + rest * (rest + 1) / 2);
      long dilated = 0;  // each residue is a window of its own
      for (long r = 0; r < 3; r++) dilated += window_pairs((n - r + 2) / 3, 2);
      BOOST_TEST(pairs("window:left=2,right=2,dilation=3", false, n) == dilated);
    }
}

BOOST_AUTO_TEST_SUITE_END()
