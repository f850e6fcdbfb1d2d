// Which runs a set of orderings has: the usual ones, those of a list, each once, and what cannot be is told.
#include "tasks/language/ordering_set.h"

#include <set>

#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(ordering_set_test)

namespace {

using Names = std::vector<std::string>;

LmSettings layers(long count) {
  LmSettings s = tiny_lm();
  s.layers = count;
  return s;
}

Names folders(const PlannedRuns& planned) {
  Names list;
  for (const OrderingRun& run : planned.runs) list.push_back(run.folder());
  return list;
}

PlannedRuns planned(const std::string& set, long count = 2) {
  return planned_runs({.set = set, .baseline_seeds = 1}, layers(count));
}

std::string refusal(const std::string& set, long count = 2) {
  return error_of([&] { planned(set, count); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_usual_set_has_the_baseline_first_sandwiches_and_some_of_the_others) {
  const PlannedRuns usual = planned_runs({.random = 2, .unbalanced = 1, .baseline_seeds = 2}, layers(4));
  const Names want = {"interleaved-seed-1", "interleaved-seed-2", "sandwich-1-seed-1", "sandwich-2-seed-1",
                      "sandwich-3-seed-1",  "random-1-seed-1",    "random-2-seed-1",   "unbalanced-1-seed-1"};
  BOOST_TEST(folders(usual) == want, boost::test_tools::per_element());
  BOOST_TEST(usual.notes.empty());
  BOOST_TEST(usual.runs[0].letters == "sfsfsfsf");
  BOOST_TEST(usual.runs[3].letters == "sssfsfff");
  for (const OrderingRun& run : usual.runs) BOOST_TEST(run.baseline == (run.name == "interleaved"));
  BOOST_TEST(planned_runs({}, layers(4)).runs.size() == 5u + 3 + 4 + 4);
}

BOOST_AUTO_TEST_CASE(of_many_layers_some_sandwiches_are_enough) {
  const PlannedRuns many = planned_runs({.random = 0, .unbalanced = 0, .baseline_seeds = 1}, layers(12));
  const Names want = {"interleaved", "sandwich:2", "sandwich:4", "sandwich:6",
                      "sandwich:7",  "sandwich:9", "sandwich:11"};
  Names names;
  std::set<std::string> letters;
  for (const OrderingRun& run : many.runs) names.push_back(run.name), letters.insert(run.letters);
  BOOST_TEST(names == want, boost::test_tools::per_element());
  BOOST_TEST(letters.size() == names.size());
}

BOOST_AUTO_TEST_CASE(a_list_has_names_ranges_and_letters_and_seeds_count_from_the_first) {
  LmSettings s = layers(3);
  s.seed = 7;
  const PlannedRuns planned = planned_runs({.set = "sandwich:1..2, ffsss", .seeds = 2, .baseline_seeds = 1}, s);
  const Names want = {"interleaved-seed-7", "sandwich-1-seed-7", "sandwich-1-seed-8", "sandwich-2-seed-7",
                      "sandwich-2-seed-8",  "ffsss-seed-7",      "ffsss-seed-8"};
  BOOST_TEST(folders(planned) == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_same_letters_are_trained_once_and_told) {
  const PlannedRuns planned = planned_runs(
      {.set = "sandwich:0,interleaved,sandwich:2,sandwich:1,ssff", .seeds = 3, .baseline_seeds = 2}, layers(2));
  BOOST_TEST(planned.runs.size() == 2u + 3);
  const Names want = {"sandwich:0 has the letters of interleaved, sfsf; they are trained once, as interleaved",
                      "interleaved is named twice; it is trained once",
                      "sandwich:1 has the letters of sandwich:2, ssff; they are trained once, as sandwich:2",
                      "ssff has the letters of sandwich:2, ssff; they are trained once, as sandwich:2"};
  BOOST_TEST(planned.notes == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(all_runs_have_the_settings_of_the_set_but_for_ordering_and_seed) {
  const LmSettings s = layers(4);
  for (const OrderingRun& run : planned_runs({}, s).runs) {
    LmSettings own = settings_of(run, s);
    BOOST_TEST(own.seed == run.seed);
    BOOST_TEST(ordering_of(own) == run.letters);
    BOOST_TEST(schedule_of(own).steps() == s.steps);  // an equal budget
    own.ordering = s.ordering, own.seed = s.seed;
    BOOST_TEST(differences(to_json(s), to_json(own)).empty());
  }
}

BOOST_AUTO_TEST_CASE(orderings_of_a_name_have_as_many_parameters_as_the_baseline) {
  const PlannedRuns planned = planned_runs({}, layers(4));
  const double usual = double(planned.runs[0].parameters);
  BOOST_TEST(planned.runs[0].parameters == Gpt(model_options(layers(4))).parameter_count());
  for (const OrderingRun& run : planned.runs) {
    const bool unbalanced = run.name.starts_with("unbalanced");  // has other numbers of biases and norms
    BOOST_TEST(std::abs(double(run.parameters) / usual - 1) <= (unbalanced ? 0.05 : 0), run.name);
  }
}

BOOST_AUTO_TEST_CASE(orderings_that_cannot_be_are_refused) {
  BOOST_TEST(refusal("sandwich:3") ==
             "ordering: 'sandwich:3' is not sandwich:k with a whole number from 0 to 2, the number of layers");
  BOOST_TEST(refusal("sandwhich:1") ==
             "ordering: there is no ordering 'sandwhich'; there are interleaved, sandwich, random, unbalanced. Did you "
             "mean sandwich?");
  BOOST_TEST(refusal("ssff,ff") ==
             "settings: the ordering 'ff' has nothing that mixes tokens; a language model needs at least one s "
             "(attention), or it sees one token");
  BOOST_TEST(refusal("./ssff").starts_with("settings: the ordering './ssff' has '.' at place 0; the letters are "));
  BOOST_TEST(refusal("scf").starts_with("settings: the ordering 'scf' has c (cross-attention), which reads a source"));
  BOOST_TEST(refusal("ssff,,sf").starts_with("ordering: the list 'ssff,,sf' has a place with nothing in it"));
}

BOOST_AUTO_TEST_CASE(a_set_of_nothing_and_one_of_too_much_are_refused) {
  BOOST_TEST(error_of([] { planned_runs({.random = 0, .unbalanced = 0}, layers(1)); }) ==
             "orderings: the set is empty: there is nothing to compare with the baseline. Name orderings, such as "
             "sandwich:1,ssff, or ask for random ones");
  BOOST_TEST(refusal("random:1..600", 20) ==
             "orderings: the set has 601 runs; at most 500. Name fewer orderings or fewer seeds");
  LmSettings last = layers(2);
  last.seed = kMaxSeed - 1;
  BOOST_TEST(error_of([&] { planned_runs({.set = "ssff", .baseline_seeds = 3}, last); }) ==
             "orderings: the seed is 4294967294 and interleaved has 3 of them; the last must be at most 4294967295. "
             "Begin with a smaller seed");
}

BOOST_AUTO_TEST_SUITE_END()
