// Every fuzz target has seeds, takes some of them, and neither they nor some mutations of them do any harm. Longer, and
// with sanitizers: `make fuzz`.
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"
#include "tests/support/folder.h"

BOOST_AUTO_TEST_SUITE(fuzz_corpus_test)

BOOST_AUTO_TEST_CASE(seeds_and_mutations_of_them_are_read_or_refused) {
  for (const FuzzTarget* target : fuzz_targets.all()) {
    const std::string folder = "tests/fuzz/corpus/" + target->name;
    BOOST_REQUIRE_MESSAGE(std::filesystem::is_directory(folder), folder << " is missing: a target needs seeds");
    long accepted = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string seed = read_file(entry.path().string());
      accepted += is_accepted(*target, seed);
      for (uint32_t number = 0; number < 40; number++) is_accepted(*target, Mutator(number).mutated(seed));
    }
    BOOST_TEST(accepted > 0, target->name << " accepts none of its seeds");
  }
}

BOOST_AUTO_TEST_SUITE_END()
