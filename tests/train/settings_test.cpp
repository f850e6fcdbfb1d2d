// The table of settings: every kind of value is read, checked, compared and asked for.
#include "train/settings.h"

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(settings_test)

namespace {

struct Walk {
  long steps = 10;
  double speed = 1;
  std::string gait = "walk", name = {};
  bool backwards = false;
};

SettingTable table_of(Walk& w) {
  return {{"steps", w.steps, 1, 1000, "how many"},
          {"speed", w.speed, 0, 3.5, "metres per second"},
          {"gait", w.gait, "which one", {"walk", "run"}},
          {"name", w.name},
          Setting("backwards", w.backwards, "the other way round").formerly("reverse")};
}

Walk read(const std::string& text) {
  Walk w;
  read_settings(table_of(w), Json::parse(text, "it"), "walk.json");
  return w;
}

std::string error_in(Walk w) {
  return error_of([&] { check_settings(table_of(w)); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back) {
  Walk w{.steps = 7, .speed = 1.0 / 3, .gait = "run", .name = "a \"b\"", .backwards = true};
  const Json json = to_json(table_of(w));
  BOOST_TEST(json.members().size() == 6u);  // and the version
  Walk back = read(json.dump());
  BOOST_TEST(differences(to_json(table_of(w)), to_json(table_of(back))).empty());
  BOOST_TEST(back.speed == 1.0 / 3);
}

BOOST_AUTO_TEST_CASE(what_a_file_lacks_stays_and_old_names_are_known) {
  const Walk w = read(R"({"speed": 2, "reverse": true})");
  BOOST_TEST(w.steps == 10);
  BOOST_TEST(w.speed == 2);
  BOOST_TEST(w.backwards);
  BOOST_TEST(!read(R"({"backwards": false, "reverse": true})").backwards);  // the new name wins
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_or_may_not_be_is_told) {
  BOOST_TEST(error_of([] { read(R"({"stesp": 3})"); }) ==
             "settings: walk.json has 'stesp', which is no setting. Did you mean steps?");
  BOOST_TEST(error_of([] {
               read(R"({"backwards": 1})");
             }).starts_with("settings: walk.json has backwards 1 (json: the value is a"));
  BOOST_TEST(error_in({.steps = 0}) == "settings: steps is 0; it must be from 1 to 1000");
  BOOST_TEST(error_in({.speed = 4}) == "settings: speed is 4; it must be from 0 to 3.5");
  BOOST_TEST(error_in({.gait = "rum"}) == "settings: there is no gait 'rum'; there are walk, run. Did you mean run?");
  Walk any{.name = "anything"};
  BOOST_CHECK_NO_THROW(check_settings(table_of(any)));
}

BOOST_AUTO_TEST_CASE(differences_have_the_order_of_the_table) {
  Walk a, b{.steps = 11, .gait = "run"};
  const auto list = differences(to_json(table_of(a)), to_json(table_of(b)));
  BOOST_REQUIRE(list.size() == 2u);
  BOOST_TEST(list[0] == "steps 10 -> 11");
  BOOST_TEST(list[1] == "gait \"walk\" -> \"run\"");
}

BOOST_AUTO_TEST_CASE(a_command_line_sets_them) {
  Walk w;
  CommandLine line("walk", "");
  for (const Setting& setting : table_of(w)) setting.add_option(line, "--" + setting.name);
  const char* words[] = {"walk", "--steps", "3", "--speed=0.5", "--gait", "run", "--name", "x", "--backwards"};
  BOOST_TEST(line.parse(9, words));
  BOOST_TEST((w.steps == 3 && w.speed == 0.5 && w.gait == "run" && w.name == "x" && w.backwards));
}

BOOST_AUTO_TEST_SUITE_END()
