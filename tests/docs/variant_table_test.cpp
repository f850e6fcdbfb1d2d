// The table of attention variants in README.md is made from the registry; HEED_UPDATE=1 writes it anew. The poster
// beside it shows all of them.
#include "nn/mixing/registry.h"
#include "tests/oracle/suite.h"
#include "tests/support/folder.h"
#include "tests/support/generated_part.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(variant_table_test)

namespace {

const GeneratedPart kTable{"README.md", "<!-- variants: made by HEED_UPDATE=1 make test T=variant_table_test -->\n",
                           "<!-- end of variants -->\n", "variant_table_test"};

std::vector<const Variant*> published() {  // not the examples of the tests
  std::vector<const Variant*> list;
  for (const Variant* variant : variants())
    if (!all_oracles.find(variant->name).example) list.push_back(variant);
  return list;
}

std::string row_of(const Variant& v) {
  const Capabilities can = make_mixer(shown_specs(v).front(), {.C = 32, .heads = 2, .max_length = 64})->can();
  std::string row = "| `" + v.name + "` | " + std::to_string(v.year) + " | " + v.summary + " | " + v.time.text() +
                    " | " + v.memory.text() + " |";
  for (const bool has : {can.causal, can.padding, can.segments, can.pairs, can.cross, can.decode, can.exact})
    row += has ? " yes |" : " - |";
  return row + "\n";
}

std::string table() {
  std::string text =
      "| variant | year | what it is | time | memory | causal | lengths | segments | pairs | cross | decodes | exact "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Variant* variant : published()) text += row_of(*variant);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_table_of_variants_in_the_readme_is_true) { check_generated(kTable, table()); }

BOOST_AUTO_TEST_CASE(the_table_has_a_row_for_each_variant_and_no_example) {
  const std::string text = table();
  BOOST_TEST(
      text.find("| `full` | 2017 | every query sees every key | O(n^2) | O(n) | yes | yes | yes | yes | yes | yes | "
                "yes |\n") != std::string::npos,
      text);
  BOOST_TEST(text.find("past-mean") == std::string::npos);
  BOOST_TEST(text.find('\n' + std::string("| `linear` |")) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_poster_shows_every_variant) {
  const std::string poster = read_file("docs/atlas.svg");
  for (const Variant* variant : published())
    BOOST_TEST(poster.find(">" + variant->name + "</text>") != std::string::npos,
               variant->name << " is not on the poster; type  build/attention atlas --poster docs/atlas.svg");
}

BOOST_AUTO_TEST_SUITE_END()
