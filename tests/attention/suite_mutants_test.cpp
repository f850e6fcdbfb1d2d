// The property suite, tested: mixers that are wrong on purpose (tests/oracle/mutants) are caught, each by the property
// that is there for it; none of the properties is idle; and the same mixers without a fault pass them all.
#include <set>

#include "system/json.h"
#include "system/write_file.h"
#include "tests/oracle/mutants/mutant.h"

using namespace heed;

namespace {

Verdict tried(const std::string& property, const std::string& spec, const MakeMixer& make) {
  return verdict(all_properties.find(property), Trial(spec, all_oracles.find(find_variant(spec).name), make));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(suite_mutants_test)

BOOST_AUTO_TEST_CASE(every_mutant_is_caught_by_the_property_that_is_there_for_it) {
  size_t caught = 0, tried_here = 0;
  Json table = Json::array();  // for those who want to read it: build/mutants.json
  for (const Mutant* mutant : all_mutants.all()) {
    const Verdict outcome = tried(mutant->caught_by, mutant->spec, mutant->make);
    if (mutant->needs_cuda && devices(Backend::cuda) == 0) continue;
    tried_here++;
    BOOST_TEST(outcome.does_not_apply == "", mutant->caught_by << " was not tried on " << mutant->spec);
    const auto& found = outcome.findings.complaints;
    BOOST_TEST(!found.empty(), "a mixer that " << mutant->name << " passed " << mutant->caught_by);
    if (found.empty()) continue;
    caught++;
    table.push_back(
        Json::Object{{"a mixer that", mutant->name}, {"is caught by", mutant->caught_by}, {"which says", found[0]}});
    BOOST_TEST_MESSAGE("a mixer that " << mutant->name << ": " << mutant->caught_by << ": " << found[0]);
  }
  BOOST_TEST_MESSAGE(caught << " of " << tried_here << " mutants are caught");
  BOOST_TEST(caught == tried_here);
  write_file(result_file("mutants.json"), table.dump(1) + "\n");
}

BOOST_AUTO_TEST_CASE(every_property_catches_a_mutant) {
  std::set<std::string> used;
  for (const Mutant* mutant : all_mutants.all()) used.insert(mutant->caught_by);
  for (const std::string& property : all_properties.names())
    BOOST_TEST(used.count(property), "no mutant is there for " << property << ": it may be true of everything");
}

BOOST_AUTO_TEST_CASE(without_their_fault_they_pass) {
  for (const Property* property : all_properties.all())
    for (const MakeMixer& make : {wrong_core({}), wrong_mixer(nullptr)}) {
      const Verdict found = verdict(*property, Trial("full", all_oracles.find("full"), make));
      for (const std::string& complaint : found.findings.complaints)
        BOOST_ERROR(property->name << " complains without a reason: " << complaint);
      BOOST_TEST((found.findings.checks > 0 || !found.does_not_apply.empty()));
    }
}

BOOST_AUTO_TEST_SUITE_END()
