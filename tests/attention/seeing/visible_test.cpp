// An audit of what the engines read: the pairs that a Visible lets through are those of the definition, its parts are
// in the form that visible.h promises, and the pictures and counts of known patterns come out.
#include "attention/seeing/visible.h"

#include "attention/seeing/plan.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

long block_of(long position, long block) {  // blocks before the first token have negative numbers
  long number = 0;
  while (position < number * block) number--;
  while (position >= (number + 1) * block) number++;
  return number;
}

// The definition of a pattern for a query at position p and a key at j, pair by pair.
bool allows(const Pattern& pattern, long p, long j) {
  const long distance = j - p;
  if (distance % pattern.dilation != 0) return false;
  if (distance < 0 && pattern.window_left >= 0 && -distance / pattern.dilation > pattern.window_left) return false;
  if (distance > 0 && pattern.window_right >= 0 && distance / pattern.dilation > pattern.window_right) return false;
  if (pattern.block == 0) return true;
  const auto blocks_off = [&](long key) { return block_of(key, pattern.block) - block_of(p, pattern.block); };
  return blocks_off(j + pattern.margin_left) >= -pattern.blocks_back &&
         blocks_off(j - pattern.margin_right) <= pattern.blocks_forward;
}

struct Case {
  long B = 2, H = 2, T = 7, S = 7;
  Mask mask = {};
  Pattern pattern = {};
};

Visible seen_in(const Case& c) { return visible_pairs("test", c.mask, c.pattern, {c.B, c.H, c.T, c.S}); }

// Ranges stay within the keys or are empty, and one row serves the whole batch unless samples differ.
void check_form(const Case& c, const Visible& v, bool by_sample) {
  BOOST_TEST_REQUIRE(v.first.shape() == (Shape{by_sample ? c.B : 1, 1, c.T}));
  BOOST_TEST_REQUIRE(v.last.shape() == v.first.shape());
  BOOST_TEST(v.first.dtype() == i32);
  const auto first = v.first.to_vector<int32_t>(), last = v.last.to_vector<int32_t>();
  for (size_t i = 0; i < first.size(); i++) BOOST_TEST((first[i] > last[i] || (first[i] >= 0 && last[i] < c.S)));
  BOOST_TEST(v.key_labels.defined() == v.query_labels.defined());
  if (v.key_labels.defined()) {
    BOOST_TEST(v.key_labels.size(1) == c.S);
    BOOST_TEST(v.query_labels.shape() == (Shape{v.key_labels.size(0), c.T}));
  }
}

// Every pair that is seen, and no other: those that the mask and allows(sample, query, key) both allow.
template <class Allows> void check_seen(const Visible& v, const Mask& mask, const Allows& allows) {
  const Tensor seen = v.dense();
  const bool* out = seen.data<bool>();
  long wrong = 0;
  for_each_index(seen.shape(), [&](const Shape& at) {
    wrong += *out++ != (mask.sees({at[0], at[1], at[2], at[3]}, v.T, v.S) && allows(at[0], at[2], at[3]));
  });
  BOOST_TEST(wrong == 0);
}

void check_pairs(const Case& c) {
  const Visible v = seen_in(c);
  check_seen(v, c.mask, [&](long, long i, long j) { return allows(c.pattern, i + c.S - c.T, j); });
  const bool documents = c.mask.segments.defined() && !(v.key_labels.defined() && v.key_labels.size(0) == c.B);
  const bool ranges = c.mask.ranges.defined() && c.mask.ranges.size(0) > 1;
  check_form(c, v, c.mask.lengths.defined() || documents || ranges);
}

std::vector<Pattern> patterns() {
  return {{},
          {.window_left = 2, .window_right = 0},
          {.window_left = 0, .window_right = 3},
          {.window_left = 3},
          {.window_right = 1},
          {.window_left = 2, .window_right = 2, .dilation = 3},
          {.window_left = 1, .dilation = 5},
          {.dilation = 4},
          {.block = 1},
          {.block = 4},
          {.block = 5, .blocks_back = 1},
          {.block = 3, .blocks_back = 2, .blocks_forward = 1},
          {.block = 4, .margin_left = 4},
          {.block = 5, .margin_left = 2, .margin_right = 3},
          {.block = 3, .blocks_back = 1, .margin_left = 1, .margin_right = 7},
          {.window_left = 6, .window_right = 6, .dilation = 2, .block = 8, .blocks_back = 1},
          {.window_left = 9, .dilation = 2, .block = 4, .margin_left = 5, .margin_right = 1},
          {.window_left = 1000000000, .window_right = 1000000000, .dilation = 1000},
          {.block = 1000000000, .blocks_back = 1000000000, .blocks_forward = 1000000000}};
}

// Masks for a batch of two: everything that a mask can say, alone and together.
std::vector<Mask> masks(long T, long S) {
  const Tensor lengths = tensor({double(S), double(S / 2)}, i64);
  std::vector<Mask> list = {{}, window_mask(3, 1), length_mask(lengths), length_mask(tensor({0, double(S)}, i64))};
  list.push_back(allow_mask(greater(uniform({2, 1, T, S}, {.seed = 4}), scalar(0.5))));
  for (long samples : {1, 2})
    list.push_back(range_mask(cast(uniform({samples, T, 2}, {.seed = 6}, -3, double(S) + 3), i64)));
  if (T <= S) {
    std::vector<int64_t> documents;
    for (long i = 0; i < 2 * S; i++) documents.push_back(7 - i % S / 3);
    list.push_back(segment_mask(from_vector(documents, {2, S})));
    list.push_back(segment_mask(cast(uniform({2, S}, {.seed = 3}, 0, 2.99), i64)));
    list.push_back(list[2] & list.back() & window_mask(-1, 4));
  }
  for (size_t i = 0, n = list.size(); i < n; i++) list.push_back(list[i] & causal_mask());
  return list;
}

long count(const Pattern& pattern, long n, bool causal = false) {
  const Visible v = seen_in({.B = 1, .H = 1, .T = n, .S = n, .mask = {.causal = causal}, .pattern = pattern});
  return long(sum(cast(v.dense(), f64)).item());
}

// Rows of '#' (visible) and '.', one head of one sample.
std::string picture(const Pattern& pattern, const Mask& mask = {}, long T = 16, long S = 16) {
  const Tensor seen = seen_in({.B = 1, .H = 1, .T = T, .S = S, .mask = mask, .pattern = pattern}).dense();
  std::string text;
  for (long i = 0; i < T; i++) {
    for (long j = 0; j < S; j++) text += seen.at({0, 0, i, j}) != 0 ? '#' : '.';
    text += '\n';
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(visible_test)

BOOST_AUTO_TEST_CASE(the_pairs_seen_are_those_of_the_definition) {
  for (auto [T, S] : {std::pair{1L, 1L}, {2, 2}, {7, 7}, {17, 17}, {1, 9}, {4, 16}, {9, 4}, {5, 1}, {3, 0}, {0, 3}})
    for (const Mask& mask : masks(T, S))
      for (const Pattern& pattern : patterns())
        BOOST_TEST_CONTEXT("T " << T << " S " << S << " " << picture(pattern, {}, T, S))
  check_pairs({.T = T, .S = S, .mask = mask, .pattern = pattern});
}

BOOST_AUTO_TEST_CASE(the_pairs_seen_around_the_size_of_a_tile_are_those_of_the_definition) {
  for (long n : {31, 64, 65})
    for (const Pattern& pattern : patterns())
      for (bool causal : {false, true})
        check_pairs({.B = 1, .H = 1, .T = n, .S = n, .mask = {.causal = causal}, .pattern = pattern});
}

BOOST_AUTO_TEST_CASE(what_is_a_range_needs_no_labels) {
  auto labels = [](const Mask& mask, const Pattern& pattern, const Shape& shape = {2, 1, 6, 6}) {
    return visible_pairs("test", mask, pattern, shape).key_labels;
  };
  BOOST_TEST(!labels(causal_mask() & length_mask(tensor({6, 2}, i64)), {.window_left = 2}).defined());
  BOOST_TEST(!labels({}, {.block = 2, .blocks_back = 1}).defined());
  const Tensor documents = tensor({5, 5, 5, 2, 2, 9, 1, 2, 3, 4, 5, 6}, {2, 6}, i64);
  BOOST_TEST(!labels(segment_mask(documents), {}).defined());
  const Tensor comes_back = tensor({5, 5, 5, 2, 2, 9, 1, 2, 3, 1, 5, 6}, {2, 6}, i64);
  BOOST_TEST(labels(segment_mask(comes_back), {}).shape() == (Shape{2, 6}));
  BOOST_TEST(labels({}, {.dilation = 2}).shape() == (Shape{1, 6}));
  BOOST_TEST(labels(segment_mask(documents), {.dilation = 2}).shape() == (Shape{1, 6}));
}

BOOST_AUTO_TEST_CASE(labels_tell_residues_and_segments_apart) {
  const Visible dilated = seen_in({.B = 1, .T = 2, .S = 6, .pattern = {.dilation = 3}});
  check_close(cast(dilated.key_labels, f64), tensor({0, 1, 2, 0, 1, 2}, {1, 6}, f64), 0);
  check_close(cast(dilated.query_labels, f64), tensor({1, 2}, {1, 2}, f64), 0);
  // equal iff the segments are equal, whatever their numbers
  const Mask mask = segment_mask(tensor({4000000000, -7, 4000000000, -7}, {1, 4}, i64));
  BOOST_TEST(picture({}, mask, 4, 4) == "#.#.\n.#.#\n#.#.\n.#.#\n");
  BOOST_TEST(picture({.dilation = 2}, mask, 4, 4) == picture({}, mask, 4, 4));
}

BOOST_AUTO_TEST_CASE(counts_follow_the_closed_formulas) {
  for (long n : {8, 16, 17, 31, 64, 65}) {
    BOOST_TEST(count({}, n) == n * n);
    BOOST_TEST(count({}, n, true) == n * (n + 1) / 2);
    for (long w : {0, 1, 2, 5}) {
      const Pattern both{.window_left = w, .window_right = w}, left{.window_left = w};
      BOOST_TEST(count(both, n) == n * (2 * w + 1) - w * (w + 1));
      BOOST_TEST(count(left, n, true) == n * (w + 1) - w * (w + 1) / 2);
      for (long dilation : {2, 3}) {  // every residue class is a window over its own members
        long total = 0;
        for (long rest = 0; rest < dilation; rest++) total += count(both, (n - rest + dilation - 1) / dilation);
        BOOST_TEST(count({.window_left = w, .window_right = w, .dilation = dilation}, n) == total);
      }
    }
  }
  for (long blocks : {1, 2, 5})
    for (long B : {1, 4, 7}) {
      const long n = blocks * B;
      BOOST_TEST(count({.block = B}, n) == n * B);
      BOOST_TEST(count({.block = B}, n, true) == n * (B + 1) / 2);
      BOOST_TEST(count({.block = B, .blocks_back = 1, .blocks_forward = 1}, n) == n * B + 2 * (blocks - 1) * B * B);
    }
  for (long m : {0, 1, 3, 4, 9}) {  // every block but the first has a margin before it, all but the last one after it
    const long n = 36, B = 9, inner = n / B - 1;
    BOOST_TEST(count({.block = B, .margin_left = m}, n) == n * B + inner * B * m);
    BOOST_TEST(count({.block = B, .margin_left = m}, n, true) == n * (B + 1) / 2 + inner * B * m);
    BOOST_TEST(count({.block = B, .margin_left = m, .margin_right = m}, n) == n * B + 2 * inner * B * m);
  }
  BOOST_TEST(count({.block = 4}, 18) == 4 * 16 + 2 * 2);  // the last block is short: nothing is padded
}

BOOST_AUTO_TEST_CASE(a_window_is_one_sided_on_each_side) {
  const std::string want =
      "###.............\n####............\n#####...........\n.#####..........\n"
      "..#####.........\n...#####........\n....#####.......\n.....#####......\n"
      "......#####.....\n.......#####....\n........#####...\n.........#####..\n"
      "..........#####.\n...........#####\n............####\n.............###\n";
  BOOST_TEST(picture({.window_left = 2, .window_right = 2}) == want);
  BOOST_TEST(picture({}, window_mask(2, 2)) == want);
}

BOOST_AUTO_TEST_CASE(a_causal_window_counts_the_keys_before_its_own) {
  const std::string want =
      "#...............\n##..............\n###.............\n####............\n"
      ".####...........\n..####..........\n...####.........\n....####........\n"
      ".....####.......\n......####......\n.......####.....\n........####....\n"
      ".........####...\n..........####..\n...........####.\n............####\n";
  BOOST_TEST(picture({.window_left = 3}, causal_mask()) == want);
  BOOST_TEST(picture({.window_left = 3, .window_right = 0}) == want);
}

BOOST_AUTO_TEST_CASE(a_dilated_window_counts_in_steps) {
  BOOST_TEST(picture({.window_left = 2, .window_right = 2, .dilation = 3}) ==
             "#..#..#.........\n.#..#..#........\n..#..#..#.......\n#..#..#..#......\n"
             ".#..#..#..#.....\n..#..#..#..#....\n#..#..#..#..#...\n.#..#..#..#..#..\n"
             "..#..#..#..#..#.\n...#..#..#..#..#\n....#..#..#..#..\n.....#..#..#..#.\n"
             "......#..#..#..#\n.......#..#..#..\n........#..#..#.\n.........#..#..#\n");
}

BOOST_AUTO_TEST_CASE(dilation_without_a_window_makes_groups_of_equal_rests) {
  const std::string four = "#...#...#...#...\n.#...#...#...#..\n..#...#...#...#.\n...#...#...#...#\n";
  BOOST_TEST(picture({.dilation = 4}) == four + four + four + four);
}

BOOST_AUTO_TEST_CASE(blocks_are_cut_from_the_first_token_on) {
  BOOST_TEST(picture({.block = 3}, {}, 7, 7) == "###....\n###....\n###....\n...###.\n...###.\n...###.\n......#\n");
  BOOST_TEST(picture({.block = 3}, causal_mask(), 7, 7) ==
             "#......\n##.....\n###....\n...#...\n...##..\n...###.\n......#\n");
  BOOST_TEST(picture({.block = 3, .blocks_back = 1}, causal_mask(), 7, 7) ==
             "#......\n##.....\n###....\n####...\n#####..\n######.\n...####\n");
  BOOST_TEST(picture({.block = 2, .blocks_forward = 1}, {}, 6, 6) ==
             "####..\n####..\n..####\n..####\n....##\n....##\n");
  BOOST_TEST(picture({.block = 3}, {}, 2, 7) == "...###.\n......#\n");  // the last two of seven
}

BOOST_AUTO_TEST_CASE(a_margin_counts_tokens_beyond_the_block) {
  BOOST_TEST(picture({.block = 3, .margin_left = 2}, {}, 7, 7) ==
             "###....\n###....\n###....\n.#####.\n.#####.\n.#####.\n....###\n");
  BOOST_TEST(picture({.block = 3, .margin_left = 1, .margin_right = 2}, {}, 7, 7) ==
             "#####..\n#####..\n#####..\n..#####\n..#####\n..#####\n.....##\n");
  BOOST_TEST(picture({.block = 2, .blocks_back = 1, .margin_left = 1}, {}, 2, 8) == "...#####\n...#####\n");
  const Pattern later{.block = 4, .margin_left = 2, .first_key = 3};  // keys 3, 4 and so on are left
  BOOST_TEST(later.range(2, 9).first == 0);                           // a query at 5 sees 2 .. 7
  BOOST_TEST(later.range(2, 9).last == 4);
  BOOST_TEST(later.range(5, 9).first == 3);  // and one at 8 sees 6 .. 11
}

BOOST_AUTO_TEST_CASE(ranges_of_a_function_are_those_of_the_definition_under_every_mask) {
  const auto keys = [](long b, long i) -> KeyRange {
    const long first = i * 5 % 7 - 2;
    return {first, first + 3 * b + i % 3 - 1};  // some are empty, some begin before the first key or end after the last
  };
  for (auto [T, S] : {std::pair{1L, 1L}, {7, 7}, {17, 17}, {1, 9}, {4, 16}, {9, 4}, {3, 0}, {0, 3}})
    for (const Mask& mask : masks(T, S)) {
      const Visible v = visible_ranges("test", {2, 2, T, S}, mask, keys);
      check_seen(v, mask, [&](long b, long i, long j) { return j >= keys(b, i).first && j <= keys(b, i).last; });
      check_form({.T = T, .S = S}, v, true);
    }
}

BOOST_AUTO_TEST_CASE(every_head_may_have_ranges_of_its_own_under_every_mask) {
  const auto keys = [](long h, long i) { return KeyRange{i * 3 % 5 - 1 + h, i * 3 % 5 + 2 * h}; };
  for (auto [T, S] : {std::pair{7L, 7L}, {4, 16}, {3, 0}, {0, 3}})
    for (const Mask& mask : masks(T, S)) {
      const Visible v = visible_ranges_by_head("test", {2, 2, T, S}, mask, keys);
      BOOST_TEST(v.first.size(1) == 2);
      const Tensor seen = v.dense(), allowed = mask.dense(2, 2, T, S);
      for_each_index({2, 2, T, S}, [&](const Shape& at) {
        const KeyRange range = keys(at[1], at[2]);
        BOOST_TEST((seen.at(at) != 0) == (allowed.at(at) != 0 && at[3] >= range.first && at[3] <= range.last));
      });
    }
}

BOOST_AUTO_TEST_CASE(a_mask_of_ranges_needs_neither_labels_nor_pairs) {
  const Mask mask = range_mask(tensor({-9, 1, 2, 2, 2, 1, 1, 99}, {1, 4, 2}, i64)) & causal_mask();
  const Visible v = visible_pairs("test", mask, {}, {2, 3, 4, 4});
  BOOST_TEST(!v.key_labels.defined());
  BOOST_TEST(!v.allow.defined());
  BOOST_TEST(v.first.to_vector<int32_t>() == (std::vector<int32_t>{0, 1, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(v.last.to_vector<int32_t>() == (std::vector<int32_t>{0, 0, 0, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(ranges_refuse_a_mask_that_does_not_fit) {
  const auto all = [](long, long) { return KeyRange{0, 5}; };
  const Mask mask = length_mask(tensor({6, 6, 6}, i64));
  BOOST_TEST(error_of([&] {
               visible_ranges("slots", {2, 1, 6, 6}, mask, all);
             }) ==
             "slots: the mask's lengths are (3,) and the batch is (B, H, T, S) = (2, 1, 6, 6); lengths must be (B,)");
}

BOOST_AUTO_TEST_CASE(an_index_must_fit_the_plan_and_the_tokens) {
  Visible v = visible_pairs("test", {}, {}, {3, 2, 5, 80});
  v.query_index = full({1, 1, 100}, 4, i32);
  BOOST_TEST(error_of([&] { v.check("test"); }) ==
             "test: there is an index but no plan; an index gives tokens the places of a plan's tiles. Set `plan` too");
  v.plan = std::make_shared<Plan>(plan_of_blocks({100, 80, 1, 2}, 64, {{.query = 1, .key = 1, .h = 1}}));
  v.check("test");
  v.query_index = full({1, 1, 100}, 7, i32);
  BOOST_TEST(error_of([&] { v.check("test"); }) ==
             "test: the query_index names token 7 of 5; the rule is 0 to 4, or -1 for an empty place");
  v.query_index = zeros({1, 1, 99}, i32);
  BOOST_TEST(
      error_of([&] { v.check("test"); }) ==
      "test: the query_index is (1, 1, 99) i32; it must be contiguous i32 of shape (1 or B, 1 or H, places) with "
      "(B, H, places) = (3, 2, 100)");
  v.query_index = Tensor();
  BOOST_TEST(error_of([&] { v.check("test"); }) ==
             "test: the plan is for 100 queries and 80 keys and the batch is (B, H, T, S) = (3, 2, 5, 80); without an "
             "index they must be equal");
}

BOOST_AUTO_TEST_CASE(some_queries_see_what_they_saw_among_all_and_nobody_sees_nothing) {
  const long T = 9, S = 12;
  for (const Mask& mask : {Mask(), causal_mask() & window_mask(4, 2), length_mask(tensor({12, 5}, i64)),
                           segment_mask(cast(uniform({2, S}, {.seed = 3}, 0, 2.99), i64)),
                           allow_mask(greater(uniform({2, 2, T, S}, {.seed = 4}), scalar(0.5))),
                           allow_mask(greater(uniform({T, 1}, {.seed = 4}), scalar(0.5)))})
    for (const Tensor& index : {tensor({3, 8, 0}, {1, 3}, i32), tensor({3, 8, -1, 7, -1, -1}, {2, 3}, i32)}) {
      const Visible all = visible_pairs("test", mask, {}, {2, 2, T, S});
      const Tensor want = all.dense(), got = of_queries(all, index).dense();
      BOOST_TEST_REQUIRE(got.shape() == (Shape{2, 2, 3, S}));
      for_each_index(got.shape(), [&](const Shape& at) {
        const long row = long(index.at({index.size(0) > 1 ? at[0] : 0, at[2]}));
        BOOST_TEST(got.at(at) == (row < 0 ? 0 : want.at({at[0], at[1], row, at[3]})));
      });
    }
  Visible planned = visible_pairs("test", {}, {}, {1, 1, 4, 4});
  planned.plan = std::make_shared<Plan>(plan_of_blocks({4, 4}, 2, {{.query = 0, .key = 0}}));
  BOOST_TEST(error_of([&] {
               of_queries(planned, tensor({0}, {1, 1}, i32));
             }) == "of_queries: there is a plan, which is by tiles of all queries; there must be none");
}

BOOST_AUTO_TEST_SUITE_END()
