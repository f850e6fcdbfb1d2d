// build/attention as a user calls it: the list, a picture, and the atlas.
#include <filesystem>

#include "nn/mixing/registry.h"
#include "system/json.h"
#include "system/write_file.h"
#include "tests/demos/charlm.h"
#include "tests/show/xml.h"

using namespace heed;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(attention_test)

namespace {

struct Place {
  Folder folder;
  std::string out = folder / "atlas", suite = folder / "suite.json", bench = folder / "variants.json";
  Ran operator()(const Words& words) const { return Charlm(folder.path.string(), words, "", "attention").wait(); }
  Ran atlas() const { return (*this)({"atlas", "--out", out, "--suite", suite, "--bench", bench}); }
  std::string page(const std::string& name) const { return read_file(out + "/" + name); }
};

const char* const kSuite = R"({"window": {"properties": {
  "a_later_token_changes_no_bit_before_it": {"passed": true, "specs": 2, "checks": 42},
  "specs_that_see_all_equal_full": {"does_not_apply": "none of its specs does"}},
  "public_errors": [{"where": "some library", "what": "forgets <it>",
                     "found_by": "a_later_token_changes_no_bit_before_it"}]}})";

const char* const kBench = R"({"results": [{"spec": "window", "variant": "window", "causal": true, "projections": false,
  "stopped": false, "faster_from": 1290.0, "cells": [
  {"n": 512, "forward_seconds": 0.1, "both_seconds": 0.3, "full_forward_seconds": 0.05, "full_both_seconds": 0.15,
   "ratio": [0.5, 0.5, 0.5], "pairs": 10, "full_pairs": 20, "share": 0.25, "peak_bytes": 1000000,
   "least_bytes": 500000},
  {"n": 2048, "forward_seconds": 0.4, "both_seconds": 1.2, "full_forward_seconds": 0.8, "full_both_seconds": 2.4,
   "ratio": [2, 2, 2], "pairs": 10, "full_pairs": 40, "share": 0.5, "peak_bytes": 4000000,
   "least_bytes": 2000000}]}]})";

}  // namespace

BOOST_AUTO_TEST_CASE(the_atlas_has_a_page_for_every_variant_and_needs_no_other_file) {
  const Place place;
  const Ran ran = place.atlas();
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(contains(ran.out, "`make test T='suite/*'` tests them"), ran.out);
  BOOST_TEST(contains(ran.out, "make atlas` measures all"), ran.out);
  const std::string index = place.page("index.html"), poster = place.page("poster.svg");
  BOOST_TEST(fs::file_size(place.out + "/poster.png") > 1000u);
  for (const char* name :
       {"full", "window", "local", "local-neighbours", "blockwise", "image-local", "linear", "additive"}) {
    const std::string page = place.page(std::string(name) + ".html");
    BOOST_TEST(contains(page, "<h1>" + std::string(name) + "</h1>"), name);
    BOOST_TEST(contains(page, "The property suite has not run here"), name);
    BOOST_TEST(contains(page, "Not measured yet"), name);
    BOOST_TEST(contains(page, find_variant(name).summary.substr(0, 12)), name);
    BOOST_TEST(contains(page, "attention/variants/"), name);  // the tests run where the sources are
    BOOST_TEST(contains(index, "href='" + std::string(name) + ".html'"), name);
    BOOST_TEST(contains(poster, ">" + std::string(name) + "</text>"), name);
  }
  for (const char* filter : {"<button>causal</button>", "<button>decodes</button>", "<button>linear time</button>"})
    BOOST_TEST(contains(index, filter), filter);
}

BOOST_AUTO_TEST_CASE(a_page_tells_what_was_tested_and_measured) {
  const Place place;
  write_file(place.suite, kSuite);
  write_file(place.bench, kBench);
  const Ran ran = place.atlas();
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  const std::string page = place.page("window.html");
  for (const char* part :
       {"1 of 1 properties that apply hold, in 42 checks", "not promised: none of its specs does", "forgets &lt;it&gt;",
        "a later token changes no bit before it", "from 1,290 tokens on", "2.00x at 2,048", "25%", "50%",
        "full, causal", ">crossover<", "Sliding window: a query sees"})
    BOOST_TEST(contains(page, part), part);
  BOOST_TEST(contains(place.page("index.html"), "from 1,290 tokens on"));
}

BOOST_AUTO_TEST_CASE(pictures_are_drawn_at_one_to_sixteen) {
  const Place place;
  place.atlas();
  for (const char* drawn : {">window:left=8,right=8<", ">window:left=8,right=8,dilation=4<"}) {
    const std::string page = place.page("window.html");
    const bool either = contains(page, drawn) || contains(page, ">window:dilation=4,left=8,right=8<");
    BOOST_TEST(either, drawn);
  }
  BOOST_TEST(contains(place.page("local.html"), ">local:block=4<"));
  BOOST_TEST(contains(place.page("full.html"), ">full<"));
}

BOOST_AUTO_TEST_CASE(the_poster_alone_is_one_file) {
  const Place place;
  const Ran ran = place({"atlas", "--poster", place.folder / "poster.svg"});
  BOOST_TEST(ran.code == 0, ran.err);
  BOOST_TEST(!fs::exists(place.out));
  BOOST_TEST(read_file(place.folder / "poster.svg").size() < 400'000u);
}

BOOST_AUTO_TEST_CASE(broken_results_are_named) {
  const Place place;
  write_file(place.suite, "{");
  const Ran ran = place.atlas();
  BOOST_TEST(ran.code == 1);
  BOOST_TEST(contains(ran.err, "suite.json"), ran.err);
}

BOOST_AUTO_TEST_CASE(the_list_and_a_picture) {
  const Place place;
  const Ran list = place({"list"});
  BOOST_TEST((list.code == 0 && contains(list.out, "local-neighbours")), list.out);
  const Ran one = place({"list", "linear"});
  BOOST_TEST(contains(one.out, "refuses  windows, ranges, pairs: keys are added up"), one.out);
  const Ran json = place({"list", "--json"});
  BOOST_TEST(Json::parse(json.out, "the list").items().size() >= 8u);
  const Ran show = place({"show", "window:left=3", "--causal", "--out", place.folder / "a.png"});
  BOOST_TEST((show.code == 0 && fs::exists(place.folder / "a.png")), show.err);
  const Ran none = place({"show"});
  BOOST_TEST(contains(none.err, "which variant?"), none.err);
}

BOOST_AUTO_TEST_SUITE_END()
