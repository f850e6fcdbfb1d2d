#include "comm/communicator.h"

#include <functional>
#include <thread>

#include "tensor/create.h"
#include "tensor/random.h"
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

namespace {

// What f(rank) returns on each of so many ranks, each a thread; its error if it throws one.
std::vector<std::string> said_by(int size, const std::function<std::string(Communicator&)>& f) {
  auto ranks = ranks_in_process(size);
  std::vector<std::string> said{size_t(size)};
  std::vector<std::thread> threads;
  for (int r = 0; r < size; r++)
    threads.emplace_back([&, r] {
      try {
        said[size_t(r)] = f(*ranks[size_t(r)]);
      } catch (const Error& error) {
        said[size_t(r)] = error.what();
      }
      ranks[size_t(r)].reset();
    });
  for (std::thread& thread : threads) thread.join();
  return said;
}

std::string numbers(const Tensor& x) {
  std::string text;
  for (const float each : x.to_vector<float>()) text += std::to_string(int(each)) + " ";
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(ranks_in_a_process_exchange_what_they_have) {
  const auto said = said_by(3, [](Communicator& rank) {
    const double r = rank.rank();
    std::string text;
    for (int again = 0; again < 50; again++) {  // one exchange does not disturb the next
      const Tensor sum = tensor({r, 10 * r}), copy = tensor({r + 1}), parts = tensor({10 * r, 10 * r + 1, 10 * r + 2});
      rank.allreduce(sum);
      rank.broadcast(copy, 2);
      rank.barrier();
      text = numbers(sum) + "| " + numbers(copy) + "| " + numbers(rank.all_to_all(parts));
    }
    return text;
  });
  BOOST_TEST(said[0] == "3 30 | 3 | 0 10 20 ");
  BOOST_TEST(said[1] == "3 30 | 3 | 1 11 21 ");
  BOOST_TEST(said[2] == "3 30 | 3 | 2 12 22 ");
}

BOOST_AUTO_TEST_CASE(sums_have_the_same_bits_on_all_ranks_every_time) {
  const auto sums = [] {
    std::vector<Tensor> all(4);
    said_by(4, [&](Communicator& rank) {
      Tensor x = randn({1000}, uint32_t(rank.rank()));
      rank.allreduce(x);
      all[size_t(rank.rank())] = x;
      return "";
    });
    return all;
  };
  const std::vector<Tensor> first = sums(), second = sums();
  for (size_t r = 0; r < 4; r++) BOOST_TEST((same_bits(first[0], first[r]) && same_bits(first[r], second[r])));
}

BOOST_AUTO_TEST_CASE(ranks_that_do_not_agree_or_leave_are_told) {
  const auto shapes = said_by(2, [](Communicator& rank) {
    rank.allreduce(zeros({rank.rank() + 1}));
    return "";
  });
  BOOST_TEST(shapes[0] == "communicator: x is (1,) f32 on rank 0 and (2,) f32 on rank 1; it must be the same on all");
  BOOST_TEST(shapes[1] == "communicator: x is (2,) f32 on rank 1 and (1,) f32 on rank 0; it must be the same on all");
  const auto left = said_by(2, [](Communicator& rank) {
    if (rank.rank() == 0) rank.barrier();
    return "";
  });
  BOOST_TEST(left[0] == "communicator: another rank has ended; the exchange cannot take place");
  BOOST_TEST(error_of([] { ranks_in_process(0); }) == "communicator: 0 ranks were asked for; there must be at least 1");
}
