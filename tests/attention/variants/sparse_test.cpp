// What sparse promises beyond the property suite: golden pictures and numbers of pairs, tokens that are reached in two
// layers, who has which pattern, and options that do not fit.
#include <algorithm>

#include "nn/mixing/capabilities.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr long kHeads = 4, C = 8;

struct Asked {
  std::string spec;
  long layer = 0, head = 0;
  bool causal = true;
};

// Which pairs of n tokens have weight, row by row
std::vector<bool> seen(const Asked& asked, long n) {
  Context ctx;
  const auto mixer = make_mixer("sparse:" + asked.spec, {.C = C, .heads = kHeads, .layer = asked.layer, .layers = 2});
  mixer->cast_parameters(f64);
  const auto weights = mixer->weights(noise({1, n, C}, 1), {.mask = causal_if(asked.causal)}, ctx).to_vector<double>();
  const auto begin = weights.begin() + asked.head * n * n;
  std::vector<bool> pairs;
  std::transform(begin, begin + n * n, std::back_inserter(pairs), [](double w) { return w > 0; });
  return pairs;
}

long pairs(const Asked& asked, long n = 16) {
  const std::vector<bool> all = seen(asked, n);
  return std::count(all.begin(), all.end(), true);
}

std::string picture(const Asked& asked) {
  std::string text;
  for (const bool pair : seen(asked, 16)) text.append(pair ? "#" : ".").append(text.size() % 17 == 16 ? "\n" : "");
  return text;
}

const Asked kFixedSecond{"stride=4,c=1,heads=alternate", 1};

// Do the two patterns, one layer after the other and each with the residual connection, lead from every token to all
// before it?
bool reaches_all(const Asked& lower, const Asked& upper, long n) {
  const std::vector<bool> low = seen(lower, n), high = seen(upper, n);
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) {
      bool found = false;
      for (long between = 0; between < n; between++)
        found |= (between == i || high[size_t(i * n + between)]) && (between == j || low[size_t(between * n + j)]);
      if (!found) return false;
    }
  return true;
}

std::string refusal(const std::string& options, long heads = kHeads) {
  return error_of([&] { make_mixer("sparse:" + options, {.C = 8 * heads, .heads = heads}); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sparse_test)

BOOST_AUTO_TEST_CASE(patterns_are_as_drawn_here) {
  BOOST_TEST(picture({"kind=strided,stride=4,heads=first"}) ==
             "#...............\n##..............\n###.............\n####............\n"
             ".####...........\n..####..........\n...####.........\n....####........\n"
             ".....####.......\n......####......\n.......####.....\n........####....\n"
             ".........####...\n..........####..\n...........####.\n............####\n");
  BOOST_TEST(picture({"kind=strided,stride=4,heads=second"}) ==
             "#...............\n.#..............\n..#.............\n...#............\n"
             "#...#...........\n.#...#..........\n..#...#.........\n...#...#........\n"
             "#...#...#.......\n.#...#...#......\n..#...#...#.....\n...#...#...#....\n"
             "#...#...#...#...\n.#...#...#...#..\n..#...#...#...#.\n...#...#...#...#\n");
  BOOST_TEST(picture(kFixedSecond) ==
             "................\n................\n................\n...#............\n"
             "...#............\n...#............\n...#............\n...#...#........\n"
             "...#...#........\n...#...#........\n...#...#........\n...#...#...#....\n"
             "...#...#...#....\n...#...#...#....\n...#...#...#....\n...#...#...#...#\n");
  BOOST_TEST(picture({"stride=4,c=1"}) ==
             "#...............\n##..............\n###.............\n####............\n"
             "...##...........\n...###..........\n...####.........\n...#####........\n"
             "...#...##.......\n...#...###......\n...#...####.....\n...#...#####....\n"
             "...#...#...##...\n...#...#...###..\n...#...#...####.\n...#...#...#####\n");
}

BOOST_AUTO_TEST_CASE(the_numbers_of_pairs_are_known) {
  BOOST_TEST(pairs({"kind=strided,stride=4,heads=first"}) == 58);
  BOOST_TEST(pairs({"kind=strided,stride=4,heads=first,inclusive=yes"}) == 70);
  BOOST_TEST(pairs({"kind=strided,stride=4,heads=second"}) == 40);
  BOOST_TEST(pairs({"kind=strided,stride=4"}) == 82);
  BOOST_TEST(pairs({"kind=strided,stride=4,inclusive=yes"}) == 82);  // i - l is in the second pattern anyway
  BOOST_TEST(pairs({"stride=4,c=1,heads=first"}) == 40);
  BOOST_TEST(pairs(kFixedSecond) == 28);
  BOOST_TEST(pairs({"stride=4,c=1"}) == 64);
  // head 1 has the second group of columns
  for (auto [c, second, merged] : {std::array{1L, 32L, 64L}, {2, 76, 88}}) {
    const std::string columns = "stride=4,groups=2,c=" + std::to_string(c);
    BOOST_TEST(pairs({columns + ",heads=alternate", 1, 1}) == second);
    BOOST_TEST(pairs({columns, 0, 1}) == merged);
  }
  BOOST_TEST(pairs({"stride=4,c=2,heads=alternate", 1}) == 60);
  BOOST_TEST(pairs({"stride=4,c=2"}) == 88);
}

BOOST_AUTO_TEST_CASE(the_number_of_pairs_is_that_of_the_closed_formula) {
  for (long n : {1, 2, 3, 7, 16, 17, 31, 64, 65})
    for (auto [l, c] : {std::pair{1L, 1L}, {5, 2}, {8, 8}, {20, 3}}) BOOST_TEST_CONTEXT("n " << n << " l " << l) {
        long strided = 0, strided_merged = 0, fixed = 0, fixed_merged = 0;
        for (long i = 0; i < n; i++) {
          strided += i / l + 1;
          strided_merged += std::min(i + 1, l) + i / l;
          fixed += c * (i / l) + std::max(0L, i % l - l + c + 1);
          fixed_merged += c * (i / l) + i % l + 1;
        }
        const std::string stride = "stride=" + std::to_string(l), columns = stride + ",c=" + std::to_string(c);
        BOOST_TEST(pairs({"kind=strided,heads=second," + stride}, n) == strided);
        BOOST_TEST(pairs({"kind=strided," + stride}, n) == strided_merged);
        BOOST_TEST(pairs({columns + ",heads=alternate", 1}, n) == fixed);
        BOOST_TEST(pairs({columns}, n) == fixed_merged);
      }
}

BOOST_AUTO_TEST_CASE(two_layers_reach_every_earlier_token) {
  const std::string strided = "kind=strided,heads=alternate,stride=", fixed = "heads=alternate,c=2,stride=";
  for (long n : {5, 16, 30})
    for (const char* l : {"2", "4", "7"}) BOOST_TEST_CONTEXT("n " << n << " l " << l) {
        BOOST_TEST(reaches_all({strided + l, 0}, {strided + l, 1}, n));
        BOOST_TEST(reaches_all({strided + l, 1}, {strided + l, 0}, n));
        BOOST_TEST(reaches_all({fixed + l, 0}, {fixed + l, 1}, n));
      }
  BOOST_TEST(!reaches_all({fixed + "4", 1}, {fixed + "4", 0}, 16));  // the first pattern must lie below
  // group 1: who comes after the summary columns of a block has no way out of it
  BOOST_TEST(!reaches_all({fixed + "4", 0, 1}, {fixed + "4", 1, 1}, 16));
}

BOOST_AUTO_TEST_CASE(layers_alternate_and_heads_are_shared_out) {
  for (const std::string kind : {"kind=strided,stride=4", "stride=4,c=1,groups=1"}) BOOST_TEST_CONTEXT(kind) {
      const auto first = seen({kind + ",heads=first"}, 16), second = seen({kind + ",heads=alternate", 1}, 16);
      BOOST_TEST((first != second));
      for (long layer = 0; layer < 4; layer++)
        for (long h = 0; h < kHeads; h++) {
          BOOST_TEST((seen({kind + ",heads=alternate", layer, h}, 16) == (layer % 2 == 0 ? first : second)));
          BOOST_TEST((seen({kind + ",heads=split", layer, h}, 16) == (h < 2 ? first : second)));
        }
    }
}

BOOST_AUTO_TEST_CASE(only_layers_with_the_first_pattern_alone_are_bounded) {
  const auto bounded = [](const std::string& spec, long layer) {
    return make_mixer("sparse:" + spec, {.C = C, .heads = kHeads, .layer = layer})->can().bounded;
  };
  for (const std::string kind : {"kind=strided", "kind=fixed"}) {
    BOOST_TEST(bounded(kind + ",heads=alternate", 0));
    BOOST_TEST(bounded(kind + ",heads=first", 1));
    for (const char* way : {",heads=merged", ",heads=split"}) BOOST_TEST(!bounded(kind + way, 0));
    BOOST_TEST(!bounded(kind + ",heads=alternate", 1));
  }
}

BOOST_AUTO_TEST_CASE(the_stride_of_an_image_is_its_row) {
  const auto spec_of = [](const std::string& spec, const Grid& grid) {
    Context ctx;
    const auto mixer = make_mixer(spec, {.C = C, .heads = 1, .grid = grid});
    mixer->cast_parameters(f64);
    return mixer->weights(noise({1, 40, C}, 1), {}, ctx);
  };
  const Grid grid{8, 5};
  BOOST_TEST(same_bits(spec_of("sparse:kind=strided", grid), spec_of("sparse:kind=strided,stride=5", {})));
  BOOST_TEST(same_bits(spec_of("sparse:kind=strided,stride=7", grid), spec_of("sparse:kind=strided,stride=7", {})));
  BOOST_TEST(same_bits(spec_of("sparse:kind=strided", {}), spec_of("sparse:kind=strided,stride=128", {})));
  BOOST_TEST(same_bits(spec_of("sparse", grid), spec_of("sparse:stride=128,c=32", {})));
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit_are_refused) {
  BOOST_TEST(refusal("stride=0") == "sparse: got stride=0; it must be at least 1, or -1 for the usual one");
  BOOST_TEST(refusal("stride=-2").starts_with("sparse: got stride=-2; it must be a number from -1"));
  BOOST_TEST(refusal("stride=16") ==
             "sparse: got c=32 and a stride of 16; of 16 columns at most 16 can be summaries. Give c= too");
  BOOST_CHECK_NO_THROW(make_mixer("sparse:kind=strided,stride=16", {.C = C, .heads = kHeads}));  // it has no summaries
  BOOST_TEST(refusal("c=0").starts_with("sparse: got c=0; it must be a number from 1"));
  BOOST_TEST(
      refusal("groups=5") ==
      "sparse: got groups=5 with c=32 and a stride of 128; it must be 1 to 4, as many times as c columns fit, or "
      "-1 for one per head where they do");
  BOOST_TEST(refusal("groups=0").starts_with("sparse: got groups=0 with c=32"));
  BOOST_TEST(refusal("heads=split", 1) ==
             "sparse: got heads=split and 1 head; there must be at least 2 to be shared out. Use heads=merged");
  BOOST_TEST(refusal("heads=second") ==
             "sparse: got kind=fixed and heads=second; alone it leaves the first tokens without a key in all layers. "
             "Use alternate, split or merged, which have the first pattern too");
  BOOST_TEST(refusal("inclusive=yes") ==
             "sparse: got kind=fixed and inclusive=yes; that is one key more in the window of kind=strided. Leave it "
             "out");
  BOOST_TEST(refusal("kind=striding") == "sparse: there is no kind 'striding'; there are fixed, strided");
}

BOOST_AUTO_TEST_SUITE_END()
