// What the library finds out about the machine it runs on, and what it says.
#include "tensor/machine.h"

#include <cstring>
#include <string>

#include "tensor/cpu/products/blas.h"
#include "tensor/cpu/startup.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

std::string sentence(Features needed, Features present, const char* cpu = "Old CPU") {
  char text[800];
  return startup_sentence(text, needed, present, cpu) ? text : "";
}

}  // namespace

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

BOOST_AUTO_TEST_CASE(a_cpu_that_lacks_something_is_told_what_and_what_to_do) {
  using namespace feature;
  const Features v3 = avx | avx2 | fma3 | f16c | bmi | bmi2 | lzcnt | movbe;
  BOOST_TEST(sentence(0, 0) == "");
  BOOST_TEST(sentence(v3, v3 | avx512f) == "");
  BOOST_TEST(sentence(v3 | avx512f | avx512bw, v3, "Some CPU") ==
             "heed: this build needs AVX-512 (avx512f, avx512bw), which this CPU (Some CPU) lacks: build it here with "
             "`make`, or with `make PORTABLE=1` for any x86-64 CPU since 2013\n");
  BOOST_TEST(
      sentence(v3, avx | movbe) ==
      "heed: this build needs AVX2 (lzcnt, bmi, bmi2, f16c, fma, avx2), which this CPU (Old CPU) lacks: build it "
      "here with `make`, or with `make ARCH=-march=x86-64` for any x86-64 CPU, slower\n");
  BOOST_TEST(
      sentence(v3 | avxvnni, v3, "") ==
      "heed: this build needs avxvnni, which this CPU lacks: build it here with `make`, or with `make PORTABLE=1` "
      "for any x86-64 CPU since 2013\n");
}

BOOST_AUTO_TEST_CASE(the_longest_sentence_fits_into_its_text) {
  const std::string name(48, 'x'), all = sentence(~Features(0), 0, name.c_str());
  BOOST_TEST(all.find("amx_bf16), which this CPU (" + name + ") lacks") != std::string::npos, all);
  BOOST_TEST(all.back() == '\n');
  char small[10];
  list_features(small, sizeof small, ~Features(0));
  BOOST_TEST(std::strlen(small) == 9u);
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
