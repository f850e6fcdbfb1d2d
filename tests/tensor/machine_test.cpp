// What the library finds out about the machine it runs on, and what it says.
#include "tensor/machine.h"

#include <string>

#include "system/processor.h"
#include "tensor/cpu/products/blas.h"
#include "tests/support/on_threads.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(machine_test)

BOOST_AUTO_TEST_CASE(the_cpu_has_all_that_this_build_uses) {
  BOOST_TEST((build_features() & ~cpu_features()) == 0);
#ifdef __AVX2__
  BOOST_TEST((build_features() & feature::avx2) != 0);
#endif
#ifdef __x86_64__
  BOOST_TEST(bool(cpu_features() & feature::avx2) == bool(__builtin_cpu_supports("avx2")));
  BOOST_TEST(bool(cpu_features() & feature::fma3) == bool(__builtin_cpu_supports("fma")));
  BOOST_TEST(bool(cpu_features() & feature::bmi2) == bool(__builtin_cpu_supports("bmi2")));
  BOOST_TEST(bool(cpu_features() & feature::sse4_2) == bool(__builtin_cpu_supports("sse4.2")));
  BOOST_TEST(bool(cpu_features() & feature::avx512f) == bool(__builtin_cpu_supports("avx512f")));
  BOOST_TEST(bool(cpu_features() & feature::avx512bw) == bool(__builtin_cpu_supports("avx512bw")));
  BOOST_TEST(bool(cpu_features() & feature::avx512vnni) == bool(__builtin_cpu_supports("avx512vnni")));
  BOOST_TEST(cpu_is_amd() == bool(__builtin_cpu_is("amd")));
#endif
}

BOOST_AUTO_TEST_CASE(the_start_line_names_threads_vectors_and_kernels) {
  const std::string line = machine_description();
  BOOST_TEST(line.find(vector_description(build_features(), cpu_features())) != std::string::npos, line);
  BOOST_TEST(line.find(blas_description()) != std::string::npos, line);
  on_threads(1, [] { BOOST_TEST(machine_description().find(", 1 thread, ") != std::string::npos); });
  on_threads(2, [] { BOOST_TEST(machine_description().find(", 2 threads, ") != std::string::npos); });
}

#ifdef __x86_64__
BOOST_AUTO_TEST_CASE(the_start_line_says_when_the_cpu_has_more_than_the_build_uses) {
  using namespace feature;
  const Features v3 = avx | avx2 | fma3;
  BOOST_TEST(vector_description(v3, v3) == "AVX2");
  BOOST_TEST(vector_description(v3 | avx512f, v3 | avx512f) == "AVX-512");
  BOOST_TEST(vector_description(v3, v3 | avx512f) == "AVX2 (this CPU has AVX-512: a plain `make` uses it)");
  BOOST_TEST(vector_description(0, v3) == "SSE2 (this CPU has AVX2: a plain `make` uses it)");
}
#endif

BOOST_AUTO_TEST_SUITE_END()
