#include "attention/seeing/globals.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(globals_test)

BOOST_AUTO_TEST_CASE(positions_are_the_first_ones_and_a_list) {
  const GlobalPositions some{.first = 2, .at = {1, 5, 9}};
  BOOST_TEST(some.between(0, 100) == (std::vector<long>{0, 1, 5, 9}), boost::test_tools::per_element());
  BOOST_TEST(some.between(1, 9) == (std::vector<long>{1, 5}), boost::test_tools::per_element());
  BOOST_TEST(some.last() == 9);
  BOOST_TEST(GlobalPositions{.first = 3}.last() == 2);
  BOOST_TEST(GlobalPositions{}.last() == -1);
  BOOST_TEST(!some.holds(2));
}

BOOST_AUTO_TEST_CASE(marks_and_positions_make_one_list_for_each_sample) {
  const Tensor marks = tensor({0, 0, 1, 1, 0, 0, 0, 0}, {2, 4}, boolean);
  const Globals made = globals_among({.first = 1}, 0, 4, marks, cpu);
  check_close(cast(made.index, f64), tensor({0, 2, 3, 0, -1, -1}, {2, 3}, f64), 0);
  check_close(cast(made.flags, f64), tensor({1, 0, 1, 1, 1, 0, 0, 0}, {2, 4}, f64), 0);
  BOOST_TEST(made.count() == 3);
  const Globals later = globals_among({.at = {3, 7}}, 5, 4, {}, cpu);  // tokens 5 to 8
  check_close(cast(later.index, f64), tensor({2}, {1, 1}, f64), 0);
  BOOST_TEST(globals_among({.at = {3}}, 5, 4, {}, cpu).count() == 0);
}

// All layers of a batch share what is made of its marks, and the next batch does not find it.
BOOST_AUTO_TEST_CASE(what_is_made_of_marks_is_made_once_for_a_batch) {
  Context ctx;
  const GlobalPositions positions{.first = 1};
  const Tensor marks = zeros({2, 4}, boolean), others = zeros({2, 4}, boolean);
  const auto first = globals_once(ctx, positions, 4, marks, cpu);
  BOOST_TEST(globals_once(ctx, positions, 4, marks, cpu) == first);
  BOOST_TEST(globals_once(ctx, positions, 4, others, cpu) != first);
  BOOST_TEST(globals_once(ctx, {.first = 2}, 4, marks, cpu) != first);
  long made = 0;
  const auto count = [&](const Globals& globals, const Mask& mask) {
    return *globals.made<long>(ctx, "count", mask, [&] { return ++made; });
  };
  BOOST_TEST(count(*first, {}) == 1);
  BOOST_TEST(count(*first, {}) == 1);
  BOOST_TEST(count(*first, causal_mask()) == 2);
  ctx.begin(1);
  BOOST_TEST(count(*first, {}) == 3);
  const auto always = globals_once(ctx, positions, 4, {}, cpu);
  ctx.begin(2);
  BOOST_TEST(globals_once(ctx, positions, 4, {}, cpu) == always);  // by positions alone: for all batches
}

BOOST_AUTO_TEST_SUITE_END()
