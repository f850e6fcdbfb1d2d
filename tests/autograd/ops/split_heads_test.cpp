#include "autograd/ops/split_heads.h"

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/rotary.h"
#include "autograd/ops/views.h"
#include "tensor/create.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

const std::vector<HeadPart> kParts = {{3, 4}, {1, 4}, {1, 2}};  // 18 channels

std::vector<HeadPart> rotated_parts(long T, DType dtype) {
  std::vector<HeadPart> parts = kParts;
  parts[0].table = parts[1].table = rotary_table(T, 4, 7, 10000, dtype);
  return parts;
}

// Channels first .. of y (B, T, channels) as (B, heads, T, width), by slices
Variable by_slices(const Variable& y, long first, const HeadPart& part) {
  const Variable own = slice(y, 2, first, first + part.heads * part.width);
  return transpose(reshape(own, {y.size(0), y.size(1), part.heads, part.width}), 1, 2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(split_heads_test)

BOOST_AUTO_TEST_CASE(each_part_has_its_channels_head_by_head_without_a_copy) {
  const Variable y(noise({2, 5, 18}, 1));
  const auto parts = split_heads(y, kParts);
  BOOST_TEST_REQUIRE(parts.size() == 3);
  for (auto [i, first] : {std::pair{0, 0}, {1, 12}, {2, 16}}) {
    check_close(parts[size_t(i)].value(), by_slices(y, first, kParts[size_t(i)]).value(), 0);
    BOOST_TEST(parts[size_t(i)].value().data<double>() == y.value().data<double>() + first);
  }
  const Variable strided(transpose(noise({2, 18, 5}, 1)));
  check_close(split_heads(strided, kParts)[1].value(), by_slices(strided, 12, kParts[1]).value(), 0);
}

BOOST_AUTO_TEST_CASE(parts_with_a_table_are_rotated_and_the_others_are_not) {
  const Variable y(noise({2, 5, 18}, 1));
  const auto parts = split_heads(y, rotated_parts(5, f64));
  const RotaryOptions halves{.interleaved = false};
  check_close(parts[0].value(), rotary(by_slices(y, 0, kParts[0]), 7, halves).value(), 1e-14);
  check_close(parts[1].value(), rotary(by_slices(y, 12, kParts[1]), 7, halves).value(), 1e-14);
  check_close(parts[2].value(), by_slices(y, 16, kParts[2]).value(), 0);
}

BOOST_AUTO_TEST_CASE(gradcheck_agrees_for_every_part_with_and_without_rotation) {
  for (bool rotates : {false, true})
    for (size_t i = 0; i < kParts.size(); i++)  // the other parts have no gradient: zeros
      BOOST_CHECK_NO_THROW(
          gradcheck([&](auto& x) { return split_heads(x[0], rotates ? rotated_parts(3, x[0].dtype()) : kParts)[i]; },
                    {noise({2, 3, 18}, 1)}));
}

BOOST_AUTO_TEST_CASE(gradients_of_all_parts_come_back_as_one) {
  const Variable y = Variable::leaf(noise({2, 5, 18}, 1)), same = Variable::leaf(y.value());
  const auto parts = split_heads(y, kParts);
  Variable ours = sum(parts[0] * parts[0]) + sum(parts[1]) + sum(parts[2] * 3.0);
  ours.backward();
  const Variable q = by_slices(same, 0, kParts[0]);
  (sum(q * q) + sum(by_slices(same, 12, kParts[1])) + sum(by_slices(same, 16, kParts[2]) * 3.0)).backward();
  check_close(y.grad(), same.grad(), 1e-14);
}

BOOST_AUTO_TEST_CASE(channels_that_do_not_add_up_are_refused) {
  BOOST_TEST(error_of([] {
               split_heads(Variable(zeros({2, 5, 17})), kParts);
             }) == "split_heads: y is (2, 5, 17) and 3 parts have 18 channels; y must be (B, T, channels)");
}

BOOST_AUTO_TEST_SUITE_END()
