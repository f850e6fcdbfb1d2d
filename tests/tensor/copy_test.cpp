#include "tensor/copy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

const DType kAll[] = {f32, f64, i32, i64, u8, boolean, bf16, f16};
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

BOOST_AUTO_TEST_SUITE(copy_test)

BOOST_AUTO_TEST_CASE(small_integers_survive_every_pair_of_types) {
  for (DType from : kAll)
    for (DType to : kAll) {
      const bool flags = from == boolean || to == boolean;
      Tensor x = tensor({0, 1, 2, 3, 4, 127}, {2, 3}, from), y = cast(transpose(x), to);
      BOOST_TEST(y.dtype() == to);
      BOOST_TEST(y.to_vector<double>() ==
                 (flags ? std::vector<double>{0, 1, 1, 1, 1, 1} : std::vector<double>{0, 3, 1, 4, 2, 127}));
    }
}

BOOST_AUTO_TEST_CASE(floats_become_the_nearest_integer_towards_zero_within_the_range) {
  const Tensor x = tensor({1.9, -1.9, 0.5, 1e30, -1e30, kInf, -kInf, kNan, 2147483647.0, 300}, f64);
  const double low32 = -2147483648.0, high32 = 2147483647.0, high64 = 9223372036854775807.0;
  BOOST_TEST(cast(x, i32).to_vector<double>() ==
             (std::vector<double>{1, -1, 0, high32, low32, high32, low32, 0, high32, 300}));
  BOOST_TEST(cast(x, u8).to_vector<double>() == (std::vector<double>{1, 0, 0, 255, 0, 255, 0, 0, 255, 255}));
  for (DType from : {f32, f64}) {
    const Tensor wide = cast(cast(x, from), i64);
    BOOST_TEST(wide.to_vector<int64_t>()[3] == std::numeric_limits<int64_t>::max());
    BOOST_TEST(wide.to_vector<int64_t>()[4] == std::numeric_limits<int64_t>::min());
    BOOST_TEST(wide.at({3}) == high64);
  }
}

BOOST_AUTO_TEST_CASE(boolean_is_whether_it_is_not_zero) {
  BOOST_TEST(cast(tensor({0, -0.0, 1e-30, kNan, -2}), boolean).to_vector<double>() ==
             (std::vector<double>{0, 0, 1, 1, 1}));
  BOOST_TEST(cast(cast(tensor({-0.0, 0.5}), bf16), boolean).to_vector<double>() == (std::vector<double>{0, 1}));
}

BOOST_AUTO_TEST_CASE(nothing_is_copied_when_nothing_changes) {
  Tensor x = zeros({2, 3}), transposed = transpose(x);
  BOOST_TEST(contiguous(x).storage() == x.storage());
  BOOST_TEST(cast(transposed, f32).storage() == x.storage());
  BOOST_TEST(to(transposed, cpu).storage() == x.storage());
  BOOST_TEST(clone(x).storage() != x.storage());
  BOOST_TEST(contiguous(transposed).storage() != x.storage());
  BOOST_TEST(contiguous(transposed).is_contiguous());
}

BOOST_AUTO_TEST_CASE(rows_that_are_dense_are_not_copied_wherever_they_lie) {
  const Tensor x = noise({2, 3, 4, 5}, 1, f64);
  for (const Tensor& view : {x, transpose(x, 1, 2), slice(x, 2, 0, 4, 2), slice(x, 3, 1, 2), scalar(3.0, f64)})
    BOOST_TEST(with_dense_rows(view).data<double>() == view.data<double>());
  for (const Tensor& view : {transpose(x), slice(x, 3, 0, 5, 2)}) {
    BOOST_TEST(with_dense_rows(view).is_contiguous());
    check_close(with_dense_rows(view), view, 0);
  }
}

BOOST_AUTO_TEST_CASE(copies_follow_strides_on_both_sides) {
  const Tensor x = noise({5, 7, 6});
  Tensor target = zeros({6, 14, 10}, f64), part = slice(slice(target, 1, 1, 14, 2), 2, 0, 10, 2);
  copy_into(part, transpose(x, 0, 2));
  for_each_index(x.shape(), [&](const Shape& i) {
    BOOST_TEST(target.at({i[2], 2 * i[1] + 1, 2 * i[0]}) == x.at(i));
    BOOST_TEST(target.at({i[2], 2 * i[1], 2 * i[0]}) == 0);  // the gaps stay as they were
  });
}

BOOST_AUTO_TEST_CASE(large_copies_agree_with_small_ones) {  // long enough to be cut among threads
  const Tensor x = reshape(arange(300 * 500), {300, 500}), y = contiguous(transpose(x));
  long bad = 0;
  for_each_index(y.shape(), [&, at = y.data<int64_t>()](const Shape& i) mutable { bad += *at++ != i[1] * 500 + i[0]; });
  BOOST_TEST(bad == 0);
}

// Sizes around the squares and blocks in which transposed copies are done.
BOOST_AUTO_TEST_CASE(transposed_copies_of_every_type_put_each_element_in_its_place) {
  for (DType dtype : kAll)
    for (const Shape& shape : {Shape{1, 9}, {3, 70}, {8, 8}, {31, 33}, {64, 65}, {129, 100}, {200, 7}}) {
      const long modulus = dtype == boolean ? 2 : 251;
      std::vector<int64_t> values(size_t(shape.numel()));
      for (size_t i = 0; i < values.size(); i++) values[i] = long(i * 2654435761u >> 9) % modulus;
      const Tensor x = cast(from_vector(values, shape), dtype);
      const std::vector<int64_t> transposed = contiguous(transpose(x)).to_vector<int64_t>();
      long bad = 0;
      for (long i = 0; i < shape[0]; i++)
        for (long j = 0; j < shape[1]; j++)
          bad += transposed[size_t(j * shape[0] + i)] != values[size_t(i * shape[1] + j)];
      BOOST_TEST(bad == 0, dtype << " " << shape);
    }
}

BOOST_AUTO_TEST_CASE(every_order_of_axes_can_be_made_row_major) {
  const Tensor x = noise({3, 17, 5, 40}, 1, f32);
  Shape order{0, 1, 2, 3};
  do {
    const Tensor view = permute(x, order), y = contiguous(view);
    Tensor target = zeros({3, 17, 5, 40});
    copy_into(permute(target, order), y);  // and back, through a transposed target
    BOOST_TEST(same_bits(target, x), order);
    long bad = 0;
    for_each_index(view.shape(), [&, at = y.data<float>()](const Shape& i) mutable { bad += *at++ != view.at(i); });
    BOOST_TEST(bad == 0, order);
  } while (std::next_permutation(&order[0], &order[0] + 4));
}

BOOST_AUTO_TEST_CASE(transposed_copies_leave_the_gaps_of_their_target) {
  const Tensor x = noise({70, 90}, 1, f32);
  Tensor target = zeros({100, 75}), part = slice(slice(target, 0, 3, 93), 1, 2, 72);
  copy_into(part, transpose(x));
  long bad = 0;
  for_each_index(target.shape(), [&](const Shape& i) {
    const bool inside = i[0] >= 3 && i[0] < 93 && i[1] >= 2 && i[1] < 72;
    bad += target.at(i) != (inside ? x.at({i[1] - 2, i[0] - 3}) : 0);
  });
  BOOST_TEST(bad == 0);
}

BOOST_AUTO_TEST_CASE(the_source_is_broadcast_and_cast) {
  Tensor y = zeros({2, 3}, i32);
  copy_into(y, tensor({1.5, 2.5, 3.5}, f64));
  BOOST_TEST(y.to_vector<int>() == (std::vector<int>{1, 2, 3, 1, 2, 3}));
  copy_into(y, tensor({7, 8}, {2, 1}, u8));
  BOOST_TEST(y.to_vector<int>() == (std::vector<int>{7, 7, 7, 8, 8, 8}));
  copy_into(y, scalar(9));
  BOOST_TEST(y.to_vector<int>() == std::vector<int>(6, 9));
  copy_into(slice(y, 0, 0, 0), scalar(1));  // nothing to write
  BOOST_TEST(y.to_vector<int>() == std::vector<int>(6, 9));
}

BOOST_AUTO_TEST_CASE(an_overlapping_source_is_read_before_it_is_written) {
  Tensor x = arange(100000);
  copy_into(slice(x, 0, 1, 100000), slice(x, 0, 0, 99999));
  BOOST_TEST(slice(x, 0, 0, 4).to_vector<int>() == (std::vector<int>{0, 0, 1, 2}));
  BOOST_TEST(x.at({99999}) == 99998);
  Tensor square = reshape(arange(9), {3, 3});
  copy_into(square, transpose(square));
  BOOST_TEST(square.to_vector<int>() == (std::vector<int>{0, 3, 6, 1, 4, 7, 2, 5, 8}));
}

BOOST_AUTO_TEST_CASE(fill_writes_through_strided_views) {
  Tensor x = zeros({3, 4}, u8);
  fill(slice(x, 1, 1, 4, 2), 5);
  BOOST_TEST(x.to_vector<int>() == (std::vector<int>{0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5}));
  fill(zeros({0}), 1);
  for (DType dtype : kAll) BOOST_TEST(full({2}, 1, dtype).to_vector<int>() == std::vector<int>(2, 1));
}

BOOST_AUTO_TEST_CASE(an_expanded_target_is_refused) {
  const Tensor x = expand(zeros({2, 1}), {2, 3});
  const std::string rule =
      "the target (2, 3) is expanded along axis 1, so several of its places are one element. Write into clone(x)";
  BOOST_TEST(error_of([&] { fill(x, 1); }) == "fill: " + rule);
  BOOST_TEST(error_of([&] { copy_into(x, zeros({2, 3})); }) == "copy_into: " + rule);
  fill(expand(zeros({1}), {1}), 1);  // repeated once: fine
}

BOOST_AUTO_TEST_CASE(a_source_that_does_not_broadcast_is_refused) {
  BOOST_TEST(error_of([] {
               copy_into(zeros({3}), zeros({2, 3}));
             }) == "copy_into: the target is (3,) and the source (2, 3); the source must broadcast to the target");
  error_of([] { copy_into(zeros({3}), zeros({2})); });
  error_of([] { copy_into(Tensor(), zeros({2})); });
  error_of([] { copy_into(zeros({2}), Tensor()); });
}

BOOST_AUTO_TEST_SUITE_END()
