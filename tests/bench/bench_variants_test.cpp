// `bench variants`: crossovers, shares and bars by figures that are given, and a run of short texts.
#include "bench/variant_rows.h"

#include "nn/mixing/registry.h"
#include "tests/oracle/suite.h"
#include "tests/support/error_of.h"

using namespace heed;
using namespace heed::bench;

BOOST_AUTO_TEST_SUITE(bench_variants_test)

namespace {

// A row whose variant is so many times as fast as full attention at 1024, 2048, ...
VariantRow row_of(const std::vector<double>& ratios) {
  VariantRow row{.name = "window", .spec = "window"};
  long n = 1024;
  for (const double ratio : ratios) {
    row.cells.push_back({.n = n,
                         .forward = 0.25 / ratio,
                         .both = 1 / ratio,
                         .full_forward = 0.25,
                         .full_both = 1,
                         .ratio = {ratio, ratio, ratio},
                         .pairs = 10,
                         .full_pairs = 100,
                         .peak = 1e6});
    n *= 2;
  }
  return row;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_crossover_lies_where_the_ratio_is_one) {
  BOOST_TEST(crossover(row_of({0.5, 2, 8})).value() == 1024 * std::sqrt(2.0), boost::test_tools::tolerance(1e-12));
  BOOST_TEST(crossover(row_of({0.5, 1.5, 0.9, 3.6})).value() > 4096);  // the last one counts
  BOOST_TEST(crossover(row_of({1.5, 2})).value() == 1024);
  BOOST_TEST(!crossover(row_of({0.5, 0.9})));
  BOOST_TEST(!crossover(row_of({})));
  VariantRow stopped = row_of({1.5, 2});
  stopped.stopped = true;
  BOOST_TEST(crossover(stopped).value() == 1024);  // as far as it came
}

BOOST_AUTO_TEST_CASE(crossovers_are_told_in_words) {
  BOOST_TEST(crossover_text(row_of({0.5, 2})) == "from 1450");
  BOOST_TEST(crossover_text(row_of({1.5, 2})) == "everywhere");
  BOOST_TEST(crossover_text(row_of({0.5, 0.9})) == "nowhere");
  BOOST_TEST(crossover_text(row_of({})) == "");
}

BOOST_AUTO_TEST_CASE(a_share_is_the_part_of_the_speed_that_fewer_pairs_allow) {
  const VariantRow row = row_of({0.5, 2, 4, 5, 8});
  BOOST_TEST(row.at(16384)->share() == 0.8, boost::test_tools::tolerance(1e-12));
  VariantCell no_pairs = row.cells[0];
  no_pairs.pairs = 0;
  BOOST_TEST(no_pairs.share() == 0);
}

BOOST_AUTO_TEST_CASE(a_bar_is_held_against_the_shares_of_long_texts) {
  VariantRow row = row_of({0.5, 2, 4, 5, 8});
  row.bar = 0.72;
  BOOST_TEST(contains(table({row}), "0.72 SHORT met\n"), table({row}));
  BOOST_TEST(contains(markdown(Report(), {row}), "| 0.50 | 0.80 | 0.72 SHORT met |\n"));
  BOOST_TEST(contains(svg(Report(), {row}), ">8.00x<"));
  row.cells.resize(2);
  row.stopped = true;
  BOOST_TEST(contains(table({row}), "stopped  0.72 ?\n"), table({row}));
}

BOOST_AUTO_TEST_CASE(a_run_tells_times_bytes_pairs_and_shares) {
  const std::vector<VariantRow> rows = measure_variants(
      {{"full"}, {"window:left=7,right=7", 0.5}, {"linear"}, {"blockwise"}, {"window:left=x"}, {"full", 0, true}},
      {64, 128}, 0);
  BOOST_REQUIRE(rows.size() == 6u);
  BOOST_TEST((rows[5].name == "full, both ways" && rows[5].cells[1].pairs == kVariantHeads * 128.0 * 128));
  BOOST_TEST(rows[4].problem.find("left") != std::string::npos, rows[4].problem);
  for (size_t i = 0; i < 4; i++) {
    BOOST_REQUIRE(rows[i].cells.size() == 2u);
    BOOST_TEST(rows[i].form.causal == (rows[i].spec != "blockwise"));
    for (const VariantCell& cell : rows[i].cells) {
      BOOST_TEST((cell.forward > 0 && cell.both > 0 && cell.full_both > 0 && cell.peak > 0));
      const double n = double(cell.n);
      BOOST_TEST(cell.full_pairs == kVariantHeads * (rows[i].form.causal ? n * (n + 1) / 2 : n * n));
    }
  }
  BOOST_TEST(rows[0].cells[1].pairs == rows[0].cells[1].full_pairs);
  BOOST_TEST(rows[1].cells[1].pairs == kVariantHeads * (8.0 * 121 + 28));
  BOOST_TEST(rows[2].cells[1].pairs == 0);
  BOOST_TEST(rows[3].cells[1].pairs == kVariantHeads * 128.0 * 64);
  const Json json = Json(json_of({rows.begin(), rows.begin() + 4}));
  BOOST_TEST(json.items()[1].at("variant").text() == "window");
  BOOST_TEST(json.items()[1].at("bar_share").number() == 0.5);
  BOOST_TEST(json.items()[3].at("cells").items()[0].at("least_bytes").number() == least_bytes(64));
}

// Whatever the registry has, and whatever is added to it, can be measured.
BOOST_AUTO_TEST_CASE(every_shown_spec_of_every_variant_is_work) {
  for (const std::string& name : variant_names()) {
    if (all_oracles.find(name).example) continue;
    for (const std::string& spec : shown_specs(find_variant(name))) {
      const VariantWork work = variant_work(spec, 256, form_of(spec));
      BOOST_CHECK_NO_THROW(work.both());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
