#include "comm/communicator.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_CASE(alone_every_exchange_gives_back_what_was_put_in) {
  auto comm = single_process();
  BOOST_TEST(comm->rank() == 0);
  BOOST_TEST(comm->size() == 1);
  Tensor x = tensor({1, 2, 3, 4}, {2, 2});
  comm->allreduce(x);
  comm->broadcast(x, 0);
  comm->barrier();
  check_close(x, tensor({1, 2, 3, 4}, {2, 2}), 0);
  Tensor y = comm->all_to_all(x);
  BOOST_TEST(same_bits(x, y));
  BOOST_TEST(x.storage() != y.storage());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_exchanged_is_refused) {
  auto comm = single_process();
  BOOST_TEST(error_of([&] { comm->allreduce(tensor({1}, i64)); }) ==
             "allreduce: x is (1,) i64; it must be row-major f32 or f64. Use contiguous(cast(x, f32))");
  BOOST_TEST(error_of([&] {
               comm->allreduce(transpose(zeros({2, 3})));
             }) ==
             "allreduce: x is (3, 2) f32, strided; it must be row-major f32 or f64. Use contiguous(cast(x, f32))");
  BOOST_TEST(error_of([&] { comm->broadcast(zeros({2}), 1); }) == "broadcast: root is 1; ranks are 0 to 0");
  BOOST_TEST(error_of([&] { comm->all_to_all(scalar(1)); }) ==
             "all_to_all: x is (); its first size must be a multiple of the number of ranks, 1");
}
