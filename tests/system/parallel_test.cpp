#include "system/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "system/command_line.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(parallel_test)

BOOST_AUTO_TEST_CASE(every_index_is_visited_once) {
  for (int count : {1, 2, 3, 7})
    on_threads(count, [] {
      for (long n : {0L, 1L, 2L, 31L, 32L, 33L, 1000L})
        for (long grain : {-1L, 0L, 1L, 7L, 32L, 5000L, std::numeric_limits<long>::max()}) {
          std::vector<std::atomic<int>> visits(n);
          parallel_for(n, grain, [&](long begin, long end) {
            for (long i = begin; i < end; i++) visits[i]++;
          });
          BOOST_TEST(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; }));
        }
    });
}

BOOST_AUTO_TEST_CASE(pieces_depend_on_the_size_only) {
  auto pieces = [](int count) {
    std::vector<std::atomic<long>> end_of(100);
    on_threads(count, [&] { parallel_for(100, 7, [&](long begin, long end) { end_of[begin] = end; }); });
    return std::vector<long>(end_of.begin(), end_of.end());
  };
  BOOST_TEST(pieces(1) == pieces(2));
  BOOST_TEST(pieces(1) == pieces(5));
}

BOOST_AUTO_TEST_CASE(nested_calls_run_and_finish) {
  on_threads(3, [] {
    std::atomic<long> total = 0;
    parallel_for(8, 1, [&](long, long) { parallel_for(100, 10, [&](long begin, long end) { total += end - begin; }); });
    BOOST_TEST(total == 800);
  });
}

BOOST_AUTO_TEST_CASE(several_threads_may_call_at_once) {
  on_threads(3, [] {
    std::vector<long> totals(4);
    std::vector<std::thread> callers;
    for (long& total : totals)
      callers.emplace_back([&total] {
        for (int round = 0; round < 200; round++) {
          std::atomic<long> sum = 0;
          parallel_for(1000, 10, [&](long begin, long end) { sum += end - begin; });
          total += sum;
        }
      });
    for (std::thread& caller : callers) caller.join();
    for (long total : totals) BOOST_TEST(total == 200'000);
  });
}

BOOST_AUTO_TEST_CASE(a_forked_child_finishes_its_loops_without_the_workers) {
  on_threads(3, [] {
    parallel_for(100, 1, [](long, long) {});  // the pool is there
    const pid_t child = fork();
    if (child == 0) {
      std::atomic<long> total = 0;
      for (int round = 0; round < 50; round++)
        parallel_for(100, 1, [&](long begin, long end) { total += end - begin; });
      _exit(total == 5000 ? 0 : 1);
    }
    int status = -1;
    BOOST_TEST(waitpid(child, &status, 0) == child);
    BOOST_TEST(status == 0);
  });
}

BOOST_AUTO_TEST_CASE(nothing_is_done_for_a_negative_size) {
  parallel_for(-3, 1, [](long, long) { BOOST_ERROR("called"); });
}

BOOST_AUTO_TEST_CASE(set_threads_says_its_range) {
  const int before = threads();
  BOOST_TEST((before >= 1 && before <= 64));
  for (int bad : {0, -1, 65, 1 << 30}) {
    const std::string text = error_of([&] { set_threads(bad); });
    BOOST_TEST(text.find("set_threads: " + std::to_string(bad) + " threads wanted; the rule is 1 to 64.") == 0u, text);
  }
  BOOST_TEST(threads() == before);
  on_threads(5, [] { BOOST_TEST(threads() == 5); });
  BOOST_TEST(threads() == before);
}

BOOST_AUTO_TEST_CASE(every_program_has_the_option_threads) {
  on_threads(2, [] {
    CommandLine line("little", "Does little.");
    const char* arguments[] = {"little", "--threads", "3"};
    BOOST_TEST(line.parse(3, arguments));
    BOOST_TEST(threads() == 3);
    CommandLine again("little", "Does little.");
    BOOST_TEST(again.parse(1, arguments));  // without it they stay
    BOOST_TEST(threads() == 3);
  });
}

BOOST_AUTO_TEST_SUITE_END()
