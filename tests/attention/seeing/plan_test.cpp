// An audit of plans: every pair that is meant stands in exactly one entry, FULL tiles are full, the transpose is the
// transpose, and known patterns have their pictures and counts.
#include "attention/seeing/plan.h"

#include <bit>
#include <set>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// A random table of pairs, with tiles that are full or empty among the others.
SeesPair some_pairs(const PlanShape& z, uint32_t seed) {
  const Shape shape{z.samples, z.heads, z.T, z.S};
  const std::vector<double> draws = uniform(shape, {.seed = seed}, 0, 1, f64).to_vector<double>();
  return [=](const PlanPair& p) {
    const long kind = (p.i / kPlanTile + p.j / kPlanTile + p.h + p.b) % 3;
    return kind == 2 || (kind == 1 && draws[size_t(((p.b * z.heads + p.h) * z.T + p.i) * z.S + p.j)] > 0.6);
  };
}

// The pairs of one entry; fails if it lets anything through that is not there.
long pairs_of(const Plan& plan, size_t row, size_t entry) {
  const long query_tile = long(row) % plan.query_tiles(), key_tile = plan.key_tile[entry];
  const long queries = std::min(kPlanTile, plan.shape.T - query_tile * kPlanTile);
  const long keys = std::min(kPlanTile, plan.shape.S - key_tile * kPlanTile);
  if (plan.bits[entry] == Plan::kFull) return queries * keys;
  long count = 0;
  for (long j = 0; j < kPlanTile; j++) {
    const uint64_t word = plan.tiles[size_t(plan.bits[entry])][size_t(j)];
    BOOST_TEST((j < keys || word == 0));
    BOOST_TEST((queries == kPlanTile || word >> queries == 0));
    count += std::popcount(word);
  }
  BOOST_TEST(count > 0);
  BOOST_TEST(count < queries * keys);  // otherwise it would be FULL
  return count;
}

long pairs_of(const Plan& plan) {
  long count = 0;
  for (size_t row = 0; row + 1 < plan.begin.size(); row++)
    for (size_t e = size_t(plan.begin[row]); e < size_t(plan.begin[row + 1]); e++) count += pairs_of(plan, row, e);
  return count;
}

void audit(const Plan& plan, const SeesPair& want) {
  const PlanShape& z = plan.shape;
  plan.check("audit", {z.samples, z.heads, z.T, z.S});  // in a row each tile of keys stands once
  long wrong = 0, count = 0;
  for_each_index({z.samples, z.heads, z.T, z.S}, [&](const Shape& at) {
    const bool sees = want({at[0], at[1], at[2], at[3]});
    wrong += plan.sees(at[0], at[1], at[2], at[3]) != sees;
    count += sees;
  });
  BOOST_TEST(wrong == 0);
  BOOST_TEST(pairs_of(plan) == count);  // so no pair stands in two entries
  BOOST_TEST(std::set<TileBits>(plan.tiles.begin(), plan.tiles.end()).size() == plan.tiles.size());
}

void audit_both_ways(const Plan& plan, const SeesPair& want) {
  audit(plan, want);
  const Plan flipped = plan.transposed(), again = flipped.transposed();
  audit(flipped, [&](const PlanPair& p) { return want({p.b, p.h, p.j, p.i}); });
  BOOST_TEST(again.begin == plan.begin);
  BOOST_TEST(again.key_tile == plan.key_tile);
  for (size_t e = 0; e < plan.bits.size(); e++) BOOST_TEST((again.bits[e] < 0) == (plan.bits[e] < 0));
}

const std::vector<PlanShape> kShapes = {{1, 1}, {64, 64}, {65, 130, 2, 3}, {200, 70, 1, 2},
                                        {0, 5}, {5, 0},   {3, 200, 2}};

Tensor flags(long S, const std::vector<long>& yes) {
  Tensor x = zeros({S}, boolean);
  for (long t : yes) x.mutable_data<bool>()[t] = true;
  return x;
}

std::string picture(const Plan& plan) {
  std::string text;
  for (long i = 0; i < plan.shape.T; i++, text += '\n')
    for (long j = 0; j < plan.shape.S; j++) text += plan.sees(0, 0, i, j) ? '#' : '.';
  return text;
}

// The pairs of a plan under a mask
long count(const Plan& plan, const Mask& mask = {}) {
  Visible v = visible_pairs("test", mask, {}, {1, 1, plan.shape.T, plan.shape.S});
  v.plan = std::make_shared<Plan>(plan);
  return long(sum(cast(v.dense(), f64)).item());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan_test)

BOOST_AUTO_TEST_CASE(a_plan_of_pairs_has_just_these) {
  uint32_t seed = 1;
  for (const PlanShape& shape : kShapes) BOOST_TEST_CONTEXT(shape.T << " by " << shape.S) {
      const SeesPair sees = some_pairs(shape, seed++);
      audit_both_ways(plan_of_pairs(shape, sees), sees);
    }
}

BOOST_AUTO_TEST_CASE(what_is_known_of_whole_tiles_is_not_asked) {
  const PlanShape shape{200, 200};
  long asked = 0;
  auto sees = [&](const PlanPair& p) { return asked++, p.j <= p.i; };
  auto covers = [](const PlanTile& t) {
    return t.last_key <= t.first_query ? Cover::all : t.first_key > t.last_query ? Cover::none : Cover::some;
  };
  const Plan plan = plan_of_pairs(shape, sees, covers);
  BOOST_TEST(asked == 3 * 64 * 64 + 8 * 8);  // the diagonal
  BOOST_TEST(plan.tiles.size() == 2u);       // which is kept once, and its last tile is smaller
  audit_both_ways(plan, sees);
}

BOOST_AUTO_TEST_CASE(a_plan_of_blocks_has_just_these) {
  for (long block : {1, 5, 16, 64, 100, 128}) BOOST_TEST_CONTEXT("block " << block) {
      const PlanShape shape{210, 150, 2, 2};
      std::set<std::array<long, 4>> chosen;
      std::vector<PlanBlock> list;
      for (long n = 0; n < 12; n++) {
        const long query = n * 37 % ((210 + block - 1) / block), key = n * 23 % ((150 + block - 1) / block);
        list.push_back({.query = query, .key = key, .b = n % 2, .h = n / 2 % 2});
        chosen.insert({n % 2, n / 2 % 2, query, key});
      }
      list.push_back(list[0]);  // twice is once
      const Plan plan = plan_of_blocks(shape, block, list);
      audit_both_ways(plan, [&](const PlanPair& p) { return chosen.contains({p.b, p.h, p.i / block, p.j / block}); });
      if (block % 64 == 0) BOOST_TEST(plan.tiles.empty());
    }
}

BOOST_AUTO_TEST_CASE(a_plan_of_rectangles_has_just_these) {
  const PlanShape shape{210, 150, 1, 2};
  // they overlap, lie beyond the places, touch a tile, fill some, or are empty
  const std::vector<PlanTile> list = {{0, 0, 0, 69, 3, 3},      {0, 0, 60, 130, 2, 140},    {0, 1, -5, 400, 64, 127},
                                      {0, 1, 200, 220, 140, 9}, {0, 1, 205, 300, 140, 300}, {0, 0, 300, 310, 0, 9}};
  const Plan plan = plan_of_rectangles(shape, list);
  audit_both_ways(plan, [&](const PlanPair& p) {
    return std::any_of(list.begin(), list.end(), [&](const PlanTile& r) {
      return r.h == p.h && r.first_query <= p.i && p.i <= r.last_query && r.first_key <= p.j && p.j <= r.last_key;
    });
  });
  BOOST_TEST(std::count(plan.bits.begin(), plan.bits.end(), Plan::kFull) ==
             4 + 1);  // the second head's column, one more
  BOOST_TEST(error_of([] {
               plan_of_rectangles({64, 64}, {{0, 1, 0, 9, 0, 9}});
             }) == "plan_of_rectangles: a rectangle is of sample 0 and head 1; there are 1 samples and 1 heads");
}

BOOST_AUTO_TEST_CASE(globals_see_all_and_are_seen_by_all) {
  for (auto [T, S] : {std::pair{130L, 130L}, {40, 200}, {90, 70}, {1, 70}, {3, 3}})
    for (const Pattern& window : {Pattern{.window_left = 3, .window_right = 1},
                                  {.window_left = 70},
                                  {.window_left = 2, .window_right = 2, .dilation = 3},
                                  {.block = 32}}) {
      const std::vector<long> yes = {0, S - 1, S / 2};
      const auto global = [&](long p) { return p == 0 || p == S - 1 || p == S / 2; };
      audit_both_ways(plan_of_globals(T, S, window, flags(S, yes)), [&](const PlanPair& pair) {
        const long p = pair.i + S - T;
        const bool near =
            visible_pairs("test", {}, window, {1, 1, T, S}).dense(pair.i, pair.i + 1).data<bool>()[pair.j];
        return near || global(p) || global(pair.j);
      });
    }
}

BOOST_AUTO_TEST_CASE(each_sample_may_have_its_own_globals) {
  const Tensor both = tensor({1, 0, 0, 0, 0, 0, 0, 1}, {2, 4}, boolean);
  const Plan plan = plan_of_globals(4, 4, {.window_left = 0, .window_right = 0}, both);
  audit(plan, [](const PlanPair& p) { return p.i == p.j || p.i == 3 * p.b || p.j == 3 * p.b; });
}

BOOST_AUTO_TEST_CASE(a_window_with_two_globals_looks_like_this) {
  const Plan plan = plan_of_globals(16, 16, {.window_left = 1, .window_right = 1}, flags(16, {0, 8}));
  BOOST_TEST(picture(plan) ==
             "################\n###.....#.......\n####....#.......\n#.###...#.......\n"
             "#..###..#.......\n#...###.#.......\n#....####.......\n#.....###.......\n"
             "################\n#.......###.....\n#.......####....\n#.......#.###...\n"
             "#.......#..###..\n#.......#...###.\n#.......#....###\n#.......#.....##\n");
  BOOST_TEST(pairs_of(plan) == 98);
}

BOOST_AUTO_TEST_CASE(counts_of_windows_with_globals_follow_the_closed_formulas) {
  for (long n : {17, 64, 65, 200})
    for (long w : {0, 1, 5})
      for (long g : {0, 1, 3}) BOOST_TEST_CONTEXT("n " << n << " w " << w << " g " << g) {
          const Plan plan = plan_of_globals(n, n, {.window_left = w, .window_right = w}, g);
          const long m = n - g;  // the others: they see the globals and a window over themselves
          BOOST_TEST(pairs_of(plan) == g * n + m * g + m * (2 * w + 1) - w * (w + 1));
          BOOST_TEST(count(plan, causal_mask()) == g * (g + 1) / 2 + m * g + m * (w + 1) - w * (w + 1) / 2);
        }
}

BOOST_AUTO_TEST_CASE(a_window_with_globals_has_tiles_in_proportion_to_its_length) {
  auto plan = [](long n) { return plan_of_globals(n, n, {.window_left = 100, .window_right = 100}, 2); };
  const Plan one = plan(2048), two = plan(4096);
  BOOST_TEST(two.key_tile.size() < 2.1 * double(one.key_tile.size()));
  BOOST_TEST(two.tiles.size() == one.tiles.size());  // the same edges again and again
}

BOOST_AUTO_TEST_CASE(errors_tell_what_is_wrong) {
  const Plan plan = plan_of_blocks({100, 80, 1, 2}, 64, {{.query = 1, .key = 1, .h = 1}});
  plan.check("test", {3, 2, 100, 80});
  BOOST_TEST(error_of([&] {
               plan.check("test", {3, 4, 100, 80});
             }) ==
             "test: the plan has lists for 1 samples and 2 heads and the batch is (B, H, T, S) = (3, 4, 100, 80); it "
             "must have one for all, or one each");
  BOOST_TEST(error_of([&] {
               plan.check("test", {3, 2, 100, 81});
             }) ==
             "test: the plan is for 100 queries and 80 keys and the batch is (B, H, T, S) = (3, 2, 100, 81); they "
             "must be equal");
  Plan wrong = plan;
  wrong.key_tile[0] = 2;
  BOOST_TEST(error_of([&] {
               wrong.check("test", {3, 2, 100, 80});
             }) ==
             "test: the plan's entries are not in order: rows must follow each other, and in a row key tiles must rise "
             "from 0 to 1. Make it by plan_of_pairs or plan_of_blocks");
  BOOST_TEST(
      error_of([] {
        plan_of_blocks({64, 64}, 16, {{.query = 4, .key = 0}});
      }) ==
      "plan_of_blocks: block (4, 0) of sample 0 and head 0 is not there: T is 64, S is 64 with blocks of 16, and "
      "there are 1 samples and 1 heads");
  const long far = 1L << 60;  // times 16 it is 0
  for (const PlanBlock& block : {PlanBlock{.query = far, .key = 0}, {.query = 0, .key = far}})
    BOOST_TEST(error_of([&] { plan_of_blocks({64, 64}, 16, {block}); }).find("is not there") != std::string::npos);
  BOOST_TEST(error_of([] {
               plan_of_blocks({0, 64}, 16, {{.query = 0, .key = 0}});
             }).find("is not there") != std::string::npos);
  BOOST_TEST(error_of([] { plan_of_blocks({64, 64}, 0, {}); }) == "plan_of_blocks: block is 0; it must be at least 1");
  BOOST_TEST(error_of([] { plan_of_globals(4, 4, {}, zeros({5}, boolean)); }) ==
             "plan_of_globals: globals is (5,) and there are 4 keys; it must be boolean (S) or (B, S)");
  BOOST_TEST(
      error_of([] {
        plan_of_pairs({4, -1}, [](auto&) { return true; });
      }) ==
      "plan: T is 4, S is -1, samples is 1 and heads is 1; sizes must be 0 or more, and there must be at least one "
      "list");
}

BOOST_AUTO_TEST_SUITE_END()
