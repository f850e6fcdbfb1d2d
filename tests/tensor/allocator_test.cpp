// The caching allocator and the storage that lives on it.
#include "tensor/allocator.h"

#include <cstdint>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

constexpr size_t kMiB = 1 << 20;

std::string out_of_memory_text(FunctionRef<void()> f) {
  return error_of([&] {
    BOOST_CHECK_THROW(f(), OutOfMemory);
    f();
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(allocator_test)

BOOST_AUTO_TEST_CASE(live_and_peak_follow_the_tensors) {
  const size_t before = memory_stats().live;
  reset_peak();
  {
    Tensor a = Tensor::empty({1024, 1024});
    BOOST_TEST(memory_stats().live == before + 4 * kMiB);
    {
      Tensor b = Tensor::empty({512, 1024}), view = b;
      BOOST_TEST(memory_stats().live == before + 6 * kMiB);
    }
    BOOST_TEST(memory_stats().live == before + 4 * kMiB);
  }
  BOOST_TEST(memory_stats().live == before);
  BOOST_TEST(memory_stats().peak == before + 6 * kMiB);
  reset_peak();
  BOOST_TEST(memory_stats().peak == before);
}

BOOST_AUTO_TEST_CASE(memory_is_aligned_and_at_most_an_eighth_is_wasted) {
  for (size_t bytes : {0, 1, 63, 64, 65, 512, 513, 1000, 4097, 100000, 1048577}) {
    const size_t before = memory_stats().live;
    Storage storage(bytes, cpu);
    BOOST_TEST(reinterpret_cast<uintptr_t>(storage.data()) % 64 == 0u);
    const size_t taken = memory_stats().live - before;
    BOOST_TEST(taken >= bytes);
    BOOST_TEST(taken <= bytes + std::max<size_t>(64, bytes / 8));
  }
}

BOOST_AUTO_TEST_CASE(a_cached_block_serves_its_own_size_only) {
  release_cache();
  const long before = memory_stats().driver_calls;
  std::set<size_t> sizes;
  for (size_t power = 1; power <= 8 * kMiB; power *= 2)
    for (size_t eighth = 8; eighth < 16; eighth++)
      for (int off : {-1, 0, 1}) {
        const size_t live = memory_stats().live;
        Storage storage(power * eighth / 8 + off, cpu);
        sizes.insert(memory_stats().live - live);
      }
  BOOST_TEST(memory_stats().driver_calls == before + long(sizes.size()));
}

BOOST_AUTO_TEST_CASE(a_loop_allocates_nothing_new_in_its_second_round) {
  auto step = [](long odd) {
    Tensor x = noise({odd, 33}, 1, f32), w = noise({33, 65}, 2, f32);
    for (int layer = 0; layer < 3; layer++) sum(tanh(matmul(x, w) * 2.0), {0});
  };
  step(17);
  const MemoryStats first = memory_stats();
  step(17);
  BOOST_TEST(memory_stats().driver_calls == first.driver_calls);
  BOOST_TEST(memory_stats().reserved == first.reserved);
}

BOOST_AUTO_TEST_CASE(release_cache_gives_unused_memory_back) {
  { Tensor x = Tensor::empty({3, 1024, 1024}); }
  BOOST_TEST(memory_stats().reserved >= memory_stats().live + 12 * kMiB);
  release_cache();
  BOOST_TEST(memory_stats().reserved == memory_stats().live);
}

BOOST_AUTO_TEST_CASE(a_limit_is_kept_and_cached_memory_is_used_up_first) {
  release_cache();
  const size_t before = set_memory_limit(memory_stats().reserved + 8 * kMiB);
  {
    Tensor a = Tensor::empty({1024, 1024});
    const std::string text = out_of_memory_text([] { Tensor::empty({2048, 1024}); });
    BOOST_TEST(text.find("allocate: 8.0 MiB wanted on cpu, 4.0 MiB free, ") == 0u, text);
    BOOST_TEST(text.find(" in use by tensors (limit ") != std::string::npos, text);
    BOOST_TEST(text.find("). Try a smaller batch or a shorter context") != std::string::npos, text);
  }
  Tensor::empty({2048, 1024});  // the cached 4 MiB go back to make room
  set_memory_limit(before);
  Tensor::empty({4096, 1024});
}

BOOST_AUTO_TEST_CASE(huge_sizes_throw_and_the_process_goes_on) {
  // 2^40 bytes and more: refused by what the machine has free; nothing is touched
  for (long numel : {1L << 38, 1L << 45, (1L << 61) - 1, std::numeric_limits<long>::max() / 4}) {
    const std::string text = out_of_memory_text([&] { Tensor::empty({numel}); });
    BOOST_TEST(text.find("iB wanted on cpu, ") != std::string::npos, text);
    BOOST_TEST(text.find(" in use by tensors. Try a smaller batch or a shorter context") != std::string::npos, text);
  }
  out_of_memory_text([] { arange(1L << 45); });
  BOOST_TEST(sum(ones({10})).item() == 10);
}

BOOST_AUTO_TEST_CASE(bytes_that_cannot_be_counted_throw) {
  BOOST_TEST(error_of([] { zeros({1L << 61}, f64); }) ==
             "empty: (2305843009213693952,) of f64 has more bytes than 2^63 - 1");
  for (size_t bytes : {std::numeric_limits<size_t>::max(), size_t(1) << 63, (size_t(1) << 63) + 1})
    out_of_memory_text([&] { allocate(bytes, cpu); });
}

BOOST_AUTO_TEST_CASE(threads_may_allocate_at_the_same_time) {
  const size_t before = memory_stats().live;
  std::vector<std::thread> crew;
  for (int t = 0; t < 4; t++)
    crew.emplace_back([t] {
      for (int i = 0; i < 300; i++) {
        Tensor x = Tensor::empty({64 * (i % 7 + 1) + t});
        x.mutable_data<float>()[0] = float(i);
      }
    });
  for (auto& thread : crew) thread.join();
  BOOST_TEST(memory_stats().live == before);
}

BOOST_AUTO_TEST_CASE(an_absent_device_says_so) {
  BOOST_TEST(error_of([] {
               Tensor::empty({1}, f32, {Backend::cpu, -1});
             }) == "device: cpu:-1 is not there; there is cpu:0 only");
}

// Every step has tensors of another length: what is reserved must not be the sum over all lengths.
BOOST_AUTO_TEST_CASE(lengths_that_differ_from_step_to_step_share_their_memory) {
  release_cache();
  reset_peak();
  const size_t before = memory_stats().reserved;
  size_t most = 0;
  for (const long T : {700, 300, 900, 550, 1000, 400, 650, 800, 350, 600, 950, 450, 750, 500, 850, 1000, 300}) {
    std::vector<Tensor> step;
    for (int i = 0; i < 40; i++) step.push_back(Tensor::empty({T, 4 << 8}));  // up to 4 MB each
    most = std::max(most, memory_stats().reserved - before);
  }
  const size_t peak = memory_stats().peak - before;
  BOOST_TEST(peak >= 160 * kMiB / 1024 * 1000);
  BOOST_TEST(most <= peak + peak / 2);
  release_cache();
}

BOOST_AUTO_TEST_CASE(a_block_that_served_a_smaller_size_is_counted_as_what_it_is) {
  release_cache();
  const MemoryStats before = memory_stats();
  { Tensor large = Tensor::empty({4, kMiB / 4}); }
  {
    Tensor small = Tensor::empty({1, kMiB / 4});
    BOOST_TEST(memory_stats().driver_calls == before.driver_calls + 1);
    BOOST_TEST(memory_stats().live == before.live + kMiB);
    BOOST_TEST(memory_stats().reserved == before.reserved + 4 * kMiB);
  }
  { Tensor large = Tensor::empty({4, kMiB / 4}); }
  BOOST_TEST(memory_stats().driver_calls == before.driver_calls + 1);
  release_cache();
  BOOST_TEST(memory_stats().reserved == before.reserved);
}

// A loop whose blocks do not fit into the usual room is given more, until it needs nothing new.
BOOST_AUTO_TEST_CASE(a_loop_with_much_unused_memory_comes_to_rest) {
  release_cache();
  const auto step = [] {
    for (const long m : {1, 9, 2, 10, 3, 12, 4, 14}) {
      std::vector<Tensor> tensors;
      for (int i = 0; i < 4; i++) tensors.push_back(Tensor::empty({m, kMiB / 4}));
    }
  };
  for (int i = 0; i < 200; i++) step();
  const long calls = memory_stats().driver_calls;
  for (int i = 0; i < 5; i++) step();
  BOOST_TEST(memory_stats().driver_calls == calls);
  release_cache();
}

BOOST_AUTO_TEST_CASE(out_of_memory_says_what_would_help) {
  const MemoryHint hint("These are weights: use a smaller model");
  BOOST_TEST(
      out_of_memory_text([] { Tensor::empty({1L << 45}); }).ends_with(". These are weights: use a smaller model"));
  {
    const MemoryHint inner("Other words");
    BOOST_TEST(out_of_memory_text([] { Tensor::empty({1L << 45}); }).ends_with(". Other words"));
  }
  BOOST_TEST(out_of_memory_text([] { Tensor::empty({1L << 45}); }).ends_with("use a smaller model"));
}

BOOST_AUTO_TEST_SUITE_END()
