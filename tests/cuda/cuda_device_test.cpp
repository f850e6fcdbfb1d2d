// The device itself: its name, memory and copies, and what it says when something is wrong.
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/machine.h"
#include "tensor/ops/decompose.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/embedding.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/cuda/on_cuda.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(cuda_device_test)

BOOST_AUTO_TEST_CASE(the_device_is_found_by_its_names, *on_cuda) {
  for (const char* name : {"cuda", "cuda:0", "auto"}) BOOST_TEST(device_from(name) == kCuda);
  BOOST_TEST(!description(kCuda).empty());
  const int count = devices(Backend::cuda);
  BOOST_TEST(error_of([&] { device_from("cuda:" + std::to_string(count)); }).find("is not there; there ") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_of_every_type_come_back_with_their_bits, *on_cuda) {
  const Tensor x = randn({3, 5, 7}, 1);
  for (const DType type : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
    const Tensor here = cast(x * 10.0 + 20.0, type);
    BOOST_TEST(same_bits(to(to(here, kCuda), cpu), here), type);
    BOOST_TEST(same_bits(to(transpose(to(here, kCuda), 0, 2), cpu), contiguous(transpose(here, 0, 2))), type);
  }
  BOOST_TEST(to(zeros({0, 4}), kCuda).shape() == (Shape{0, 4}));
}

BOOST_AUTO_TEST_CASE(casts_there_are_casts_here, *on_cuda) {
  const Tensor x = tensor({-1e30, -300.5, -1, -0.0, 0.4, 1, 255.9, 70000, 1e30, NAN}, f64);
  for (const DType from : {f32, f64, i32, i64, u8, boolean, bf16, f16})
    for (const DType type : {f32, f64, i32, i64, u8, boolean, bf16, f16}) {
      const Tensor here = cast(x, from);
      BOOST_TEST(same_bits(to(cast(to(here, kCuda), type), cpu), cast(here, type)), from << " to " << type);
    }
}

BOOST_AUTO_TEST_CASE(an_op_without_a_kernel_there_says_so, *on_cuda) {
  const Tensor x = to(randn({4, 4}, 1), kCuda);
  BOOST_TEST(error_of([&] { qr(x); }) == "qr: qr has no cuda kernel; move x with to(x, cpu)");
  BOOST_TEST(error_of([&] { add(x, randn({4, 4}, 2)); }).find("cuda:0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_memory_than_there_is_is_refused_and_the_rest_works_on, *on_cuda) {
  const std::string told = error_of([] { Tensor::empty({1L << 46}, u8, kCuda); });
  BOOST_TEST(told.find("cuda:0") != std::string::npos, told);
  BOOST_TEST(to(to(ones({3}), kCuda) + 1.0, cpu).to_vector<float>() == std::vector<float>(3, 2.f),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_index_made_there_that_is_out_of_range_is_told_at_the_end, *on_cuda) {
  const Tensor table = to(randn({5, 3}, 1), kCuda), ids = to(tensor({1, 7, 2}, i64), kCuda);
  embedding(table, ids);
  const std::string told = error_of([] { finish(kCuda); });
  BOOST_TEST(told.find("7") != std::string::npos, told);
  finish(kCuda);
}

BOOST_AUTO_TEST_SUITE_END()
