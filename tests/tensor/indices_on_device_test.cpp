// Indices on another device: those of the host are checked there and then moved, once; those that were made on the
// device are checked on the device, and told of when it is finished.
#include "autograd/ops/embedding.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/rows.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/indices.h"
#include "tensor/ops/sort.h"
#include "tensor/profile.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/guarded_device.h"

using namespace heed;

namespace {

constexpr Device kThere = GuardedDevice::device;

Tensor made_there(const Tensor& x) { return cast(to(cast(x, f64), kThere) + 0.0, x.dtype()); }  // by kernels

CopyCounts copies_of(const std::function<void()>& f) {
  const CopyCounts before = copy_counts();
  f();
  return {copy_counts().to_host - before.to_host, copy_counts().from_host - before.from_host};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(indices_on_device_test, GuardedDevice)

BOOST_AUTO_TEST_CASE(host_indices_are_moved_once_for_an_op_and_its_gradient) {
  const Tensor table = noise({7, 3}), ids = tensor({1, 6, 1}, i64);
  const Variable here = Variable::leaf(table), there = Variable::leaf(to(table, kThere));
  sum(embedding(here, ids)).backward();
  const CopyCounts copies = copies_of([&] { sum(embedding(there, ids)).backward(); });
  BOOST_TEST(copies.from_host == 1);
  BOOST_TEST(copies.to_host == 0);
  BOOST_TEST(same_bits(to(there.grad(), cpu), here.grad()));
  BOOST_TEST(error_of([&] {
               embedding(there, tensor({1, 7}, i64));
             }) == "embedding: id 7 at (1,) of the ids, which are (2,), is out of range; the rule is 0 <= id < 7");
  BOOST_TEST(error_of([&] { rows_at(there, tensor({-2}, i32)); }) ==
             "rows_at: index -2 at (0,) of the index, which is (1,), is out of range; the rule is -1 (nobody) <= index "
             "< 7");
}

BOOST_AUTO_TEST_CASE(indices_made_there_are_never_read_back) {
  const Tensor x = noise({4, 9}), there = to(x, kThere);
  Tensor sorted;
  const CopyCounts copies = copies_of([&] { sorted = gather(there, 1, argsort(there, 1)); });
  BOOST_TEST(copies.to_host + copies.from_host == 0);
  BOOST_TEST(same_bits(to(sorted, cpu), gather(x, 1, argsort(x, 1))));
  const Tensor index = made_there(tensor({2, 0, 3}, i64));
  const CopyCounts more = copies_of([&] { index_select(there, 0, index), rows_at(there, cast(index, i32)); });
  BOOST_TEST(more.to_host + more.from_host == 0);
  finish(kThere);  // nothing to tell
}

BOOST_AUTO_TEST_CASE(one_that_is_out_of_range_is_told_when_the_device_is_finished) {
  const Tensor x = to(tensor({1, 2, 3, 4, 5, 6}, {3, 2}), kThere);
  const Tensor y = index_select(x, 0, made_there(tensor({2, 9, -4}, i64)));
  check_close(to(y, cpu), tensor({5, 6, 5, 6, 1, 2}, {3, 2}), 0);  // the nearest ones that are there
  gather(x, 0, made_there(tensor({7, 0}, {1, 2}, i64)));           // the first one is told
  BOOST_TEST(error_of([] { finish(kThere); }) ==
             "index_select: index 9 at element 1 of the indices, which were made on custom:0, is out of range; the "
             "rule is 0 <= index < 3. It was found when the device was finished");
  finish(kThere);  // once
  rows_at(x, made_there(tensor({-1, 3}, i32)));
  BOOST_TEST(error_of([] { finish(kThere); }) ==
             "rows_at: index 3 at element 1 of the indices, which were made on custom:0, is out of range; the rule is "
             "-1 <= index < 3. It was found when the device was finished");
}

BOOST_AUTO_TEST_CASE(checks_are_profiled_as_other_kernels_are) {
  const Tensor x = to(noise({3, 2}), kThere), index = made_there(tensor({2, 0}, i64));
  const Profile profile;  // finishes the device after every kernel
  index_select(x, 0, index);
  BOOST_TEST(error_of([&] { index_select(x, 0, made_there(tensor({5}, i64))); }).find("index 5") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_can_be_chosen_from_an_empty_axis) {
  const Tensor x = to(zeros({0, 2}), kThere);
  BOOST_TEST(error_of([&] { index_select(x, 0, made_there(tensor({0}, i64))); }) ==
             "index_select: 1 indices were given and there is nothing to choose from; the rule is 0 <= index < 0");
}

BOOST_AUTO_TEST_CASE(indices_that_were_written_to_are_looked_at_again) {
  const Tensor x = noise({5, 2}), index = tensor({1, 4}, i64);
  index_select(x, 0, index);
  fill(index, 5);
  BOOST_TEST(error_of([&] { index_select(x, 0, index); }).starts_with("index_select: index 5 at (0,)"));
  fill(index, 4);
  index_select(x, 0, index);
  BOOST_TEST(error_of([&] { index_select(noise({4, 2}), 0, index); }).starts_with("index_select: index 4 at (0,)"));
}

BOOST_AUTO_TEST_SUITE_END()
