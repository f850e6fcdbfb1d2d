// The memory of stb_image: a limit for blocks, and nothing is lost.
#include "data/images/stb_memory.h"

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(stb_memory_test)

BOOST_AUTO_TEST_CASE(blocks_are_zeros_and_counted) {
  const StbMemory memory(100);
  auto* a = static_cast<char*>(StbMemory::allocate(10));
  BOOST_TEST(a[9] == 0);
  a[9] = 'x';
  void* b = StbMemory::reallocate(nullptr, 20);
  a = static_cast<char*>(StbMemory::reallocate(a, 100));
  BOOST_TEST(a[9] == 'x');
  BOOST_TEST(memory.live() == 2u);
  StbMemory::release(b);
  StbMemory::release(nullptr);
  BOOST_TEST(memory.live() == 1u);  // it is freed with `memory`: the address sanitizer would see it otherwise
}

BOOST_AUTO_TEST_CASE(a_block_that_is_too_large_is_refused) {
  const StbMemory memory(100);
  BOOST_TEST(StbMemory::allocate(101) == nullptr);
  void* a = StbMemory::allocate(100);
  BOOST_TEST(a != nullptr);
  BOOST_TEST(StbMemory::reallocate(a, 101) == nullptr);
  BOOST_TEST(memory.live() == 1u);
}

BOOST_AUTO_TEST_CASE(a_thread_reads_one_picture_at_a_time) {
  const StbMemory memory(1);
  BOOST_TEST(error_of([] { StbMemory(2); }) ==
             "picture: a picture is read while another one is; a thread reads one at a time");
}

BOOST_AUTO_TEST_SUITE_END()
