#include "models/orderings.h"

#include <algorithm>
#include <map>
#include <set>

#include "models/gpt.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

long count(const std::string& letters, char letter) { return std::count(letters.begin(), letters.end(), letter); }

GptOptions tiny(const std::string& ordering) { return {.V = 11, .stack = small(expanded_ordering(ordering, 2))}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(orderings_test)

BOOST_AUTO_TEST_CASE(letters_stay_and_nothing_is_the_usual_transformer) {
  for (const char* letters : {"s", "ssff", "scfscf", "sxf"}) BOOST_TEST(expanded_ordering(letters, 3) == letters);
  BOOST_TEST(expanded_ordering("", 3) == "sfsfsf");
  BOOST_TEST(expanded_ordering("interleaved", 2) == "sfsf");
}

BOOST_AUTO_TEST_CASE(a_sandwich_moves_attentions_to_the_front_and_feed_forwards_to_the_end) {
  BOOST_TEST(expanded_ordering("sandwich:0", 3) == "sfsfsf");
  BOOST_TEST(expanded_ordering("sandwich:1", 3) == "ssfsff");
  BOOST_TEST(expanded_ordering("sandwich:2", 3) == "sssfff");
  BOOST_TEST(expanded_ordering("sandwich:3", 3) == "sssfff");
  // the published one of enwik8: 24 layers, k = 5
  BOOST_TEST(expanded_ordering("sandwich:5", 24) == "ssssss" + repeated("fs", 18) + "ffffff");
}

BOOST_AUTO_TEST_CASE(a_random_ordering_is_a_shuffle_that_its_seed_decides) {
  std::set<std::string> seen;
  for (long seed = 0; seed < 20; seed++) {
    const std::string letters = expanded_ordering("random:" + std::to_string(seed), 6);
    BOOST_TEST(letters.size() == 12u);
    BOOST_TEST(count(letters, 's') == 6);
    BOOST_TEST(count(letters, 'f') == 6);
    seen.insert(letters);
  }
  BOOST_TEST(seen.size() > 15u);
  BOOST_TEST(expanded_ordering("random:1", 6) == "fsssffffsfss");  // on every machine
  BOOST_TEST(expanded_ordering("random:4294967295", 6).size() == 12u);
}

BOOST_AUTO_TEST_CASE(shuffles_with_equal_counts_are_equally_frequent) {
  std::map<std::string, long> seen;  // 6 orders of ssff
  for (long seed = 0; seed < 1200; seed++) seen[expanded_ordering("random:" + std::to_string(seed), 2)]++;
  BOOST_TEST(seen.size() == 6u);
  for (const auto& [letters, times] : seen) BOOST_TEST((times > 140 && times < 260), letters << ": " << times);
}

BOOST_AUTO_TEST_CASE(an_unbalanced_ordering_has_the_budget_of_its_layers_and_any_number_of_each) {
  std::set<long> attentions;
  for (long layers : {1, 2, 6})
    for (long seed = 0; seed < 30; seed++) {
      const std::string letters = expanded_ordering("unbalanced:" + std::to_string(seed), layers);
      BOOST_TEST(count(letters, 's') + 2 * count(letters, 'f') == 3 * layers);
      BOOST_TEST(count(letters, 's') > 0);
      if (layers == 6) attentions.insert(count(letters, 's'));
    }
  BOOST_TEST(attentions.size() > 2u);
  BOOST_TEST(expanded_ordering("unbalanced:1", 6) == "sfsssfssfssssf");  // on every machine
}

BOOST_AUTO_TEST_CASE(the_same_letters_in_any_order_have_the_same_number_of_parameters) {
  Gpt baseline(tiny("sfsf"));
  for (const char* ordering : {"sandwich:1", "sandwich:2", "random:1", "random:2", "ffss", "fssf"})
    BOOST_TEST(Gpt(tiny(ordering)).parameter_count() == baseline.parameter_count());
}

BOOST_AUTO_TEST_CASE(unbalanced_orderings_have_the_matrices_of_the_usual_transformer) {
  const auto matrices = [](const std::string& ordering) {
    Stack stack(small(expanded_ordering(ordering, 4)));
    long numbers = 0;
    for (const Parameter* p : stack.parameters()) numbers += p->value.dims() == 2 ? p->value.numel() : 0;
    return numbers;
  };
  for (long seed = 0; seed < 5; seed++)
    BOOST_TEST(matrices("unbalanced:" + std::to_string(seed)) == matrices("interleaved"));
}

BOOST_AUTO_TEST_CASE(a_sandwich_of_nothing_is_the_usual_model_to_the_bit) {
  Gpt baseline(tiny("")), sandwich(tiny("sandwich:0"));
  Context ctx;
  const Tensor ids = some_ids(2, 7);
  BOOST_TEST(same_bits(baseline.forward(ids, ctx).value(), sandwich.forward(ids, ctx).value()));
  const auto from = baseline.parameters(), to = sandwich.parameters();
  BOOST_TEST_REQUIRE(from.size() == to.size());
  for (size_t i = 0; i < from.size(); i++) BOOST_TEST(from[i]->path == to[i]->path);
}

BOOST_AUTO_TEST_CASE(names_and_numbers_that_cannot_be_are_refused) {
  const auto refusal = [](const std::string& text, long layers = 4) {
    return error_of([&] { expanded_ordering(text, layers); });
  };
  for (const char* text : {"sandwich", "sandwich:", "sandwich:5", "sandwich:-1", "sandwich:two", "sandwich:1.5"})
    BOOST_TEST(refusal(text) == "ordering: '" + std::string(text) +
                                    "' is not sandwich:k with a whole number from 0 to 4, the number of layers");
  for (const char* text : {"random", "random:4294967296", "random:-1"})
    BOOST_TEST(refusal(text) ==
               "ordering: '" + std::string(text) + "' is not random:seed with a whole number from 0 to 4294967295");
  BOOST_TEST(refusal("interleaved:2") ==
             "ordering: 'interleaved:2' has something behind its name; interleaved takes nothing");
  for (const char* text : {"sandwhich:2", "sandwhich"})
    BOOST_TEST(refusal(text) ==
               "ordering: there is no ordering 'sandwhich'; there are interleaved, sandwich, random, "
               "unbalanced. Did you mean sandwich?");
  BOOST_TEST(refusal("", 0) == "ordering: 'interleaved' is for 0 layers; there must be at least 1");
}

BOOST_AUTO_TEST_CASE(a_list_has_ranges_and_blanks) {
  using List = std::vector<std::string>;
  BOOST_TEST((listed_orderings("ssff") == List{"ssff"}));
  BOOST_TEST((listed_orderings("sandwich:1..3, ssff ,random:7..7") ==
              List{"sandwich:1", "sandwich:2", "sandwich:3", "ssff", "random:7"}));
  BOOST_TEST(listed_orderings("random:0..999").size() == 1000u);
}

BOOST_AUTO_TEST_CASE(lists_that_cannot_be_are_refused) {
  for (const std::string list : {"", " ", "ssff,", ",ssff", "ssff,,sf"})
    BOOST_TEST(error_of([&] { listed_orderings(list); }) ==
               "ordering: the list '" + list +
                   "' has a place with nothing in it; it is such as sandwich:1..3,random:1,ssff");
  for (const std::string range : {"random:4..1", "random:1..", "random:..4", "1..4", "s..f", "random:a..b",
                                  "random:-1..1", "random:0..1000", "a..b:1", "random:1..2..3"})
    BOOST_TEST(error_of([&] { listed_orderings("sf," + range); }) ==
               "ordering: '" + range +
                   "' is no range of orderings; one is such as random:1..4, from the smaller whole number to the "
                   "larger, and at most 1000 of them");
}

BOOST_AUTO_TEST_CASE(a_language_model_refuses_a_source_unknown_letters_and_no_attention) {
  const auto refusal = [](const std::string& ordering) { return error_of([&] { Gpt model(tiny(ordering)); }); };
  BOOST_TEST(
      refusal("scf") ==
      "gpt: the ordering 'scf' has c (cross-attention), which reads a source; a language model has none. Leave it "
      "away, or use an encoder-decoder");
  BOOST_TEST(refusal("ff") ==
             "gpt: the ordering 'ff' has nothing that mixes tokens; a language model needs at least one s (attention), "
             "or it sees one token");
  BOOST_TEST(refusal("sxf") ==
             "gpt: the ordering 'sxf' has 'x' at place 1; the letters are c (cross-attention), f (feed-forward) and s "
             "(attention)");
}

BOOST_AUTO_TEST_SUITE_END()
