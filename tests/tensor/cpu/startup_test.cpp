#include "tensor/cpu/startup.h"

#include <cstring>
#include <string>

using namespace heed;

namespace {

std::string sentence(Features needed, Features present, const char* cpu = "Old CPU") {
  char text[800];
  return startup_sentence(text, needed, present, cpu) ? text : "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(startup_test)

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

BOOST_AUTO_TEST_SUITE_END()
