// JSON values: reading, writing, and what is refused.
#include "system/json.h"

#include <cmath>

#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(json_test)

namespace {

std::string parse_error(const std::string& text) {
  return error_of([&] { Json::parse(text, "the text"); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_read_is_written_the_same) {
  const std::string text = R"({"b":[1,-2,2.5,true,false,null],"a":{"x":"\"\\\n\u0001 ä"},"empty":[{},[]]})";
  BOOST_TEST(Json::parse(text, "the text").dump() == text);  // names keep their order
  BOOST_TEST(Json::parse(" [1 , 2]\n", "the text").dump(2) == "[\n  1,\n  2\n]");
}

BOOST_AUTO_TEST_CASE(values_are_made_asked_and_compared) {
  Json json;
  json["layers"] = 4;
  json["rate"] = 0.001;
  json["data"] = "enwik8";
  json["layers"] = 5;
  json["list"] = Json::array();
  json["list"].push_back(true);
  BOOST_TEST(json.dump() == R"({"layers":5,"rate":0.001,"data":"enwik8","list":[true]})");
  BOOST_TEST(json.at("layers").integer() == 5);
  BOOST_TEST(json.at("layers").number() == 5.0);
  BOOST_TEST(json.at("data").text() == "enwik8");
  BOOST_TEST(json.at("list").items()[0].truth());
  BOOST_TEST((json.find("nothing") == nullptr));
  BOOST_TEST((json == Json::parse(json.dump(), "the text")));
}

BOOST_AUTO_TEST_CASE(numbers_come_back_to_the_same_bits) {
  for (const double number : {0.1, 1e-310, -0.0, 1.7976931348623157e308, 2.0 / 3})
    BOOST_TEST(std::bit_cast<uint64_t>(Json::parse(Json(number).dump(), "it").number()) ==
               std::bit_cast<uint64_t>(number));
  for (const long number : {0L, LONG_MAX, LONG_MIN}) {
    BOOST_TEST(Json::parse(Json(number).dump(), "it").integer() == number);
  }
  BOOST_TEST(!Json::parse("18446744073709551615", "it").is_integer());
  BOOST_TEST(Json(NAN).dump() == "null");
}

BOOST_AUTO_TEST_CASE(what_is_not_json_is_an_error) {
  BOOST_TEST(parse_error("{\"a\":") == "json: the text is not JSON; the first error is at byte 6");
  BOOST_TEST(parse_error("[1] 2") == "json: the text is not JSON; the first error is at byte 5");
  BOOST_TEST(parse_error("") == "json: the text is not JSON; the first error is at byte 1");
  for (const char* text : {"nul", "[1,]", "{a:1}", "\"\xff\"", "\"\n\"", "1e999", "01", "'a'"})
    BOOST_TEST(parse_error(text).starts_with("json: the text is not JSON"), text);
  BOOST_TEST(parse_error(R"({"a":1,"a":2})") ==
             "json: the text has the name \"a\" twice in one object; each may stand there once");
  BOOST_TEST(Json::parse(R"([{"a":1},{"a":2}])", "two objects").items().size() == 2u);
  BOOST_TEST(parse_error(std::string(1'000'000, '[')) == "json: the text is nested more than 100 levels deep");
}

BOOST_AUTO_TEST_CASE(a_value_of_another_kind_is_an_error) {
  const Json json = Json::parse(R"({"a":"x"})", "the text");
  BOOST_TEST(error_of([&] { json.at("a").integer(); }) == "json: the value is a text; it must be an integer");
  BOOST_TEST(error_of([&] { json.items(); }) == "json: the value is an object; it must be an array");
  BOOST_TEST(error_of([&] { json.at("b"); }) == "json: there is no \"b\" in an object");
  BOOST_TEST(error_of([&] { json.at("a").at("b"); }) == "json: there is no \"b\" in a text");
  BOOST_TEST(error_of([&] { Json(2.5).integer(); }) == "json: the value is a number; it must be an integer");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_are_replaced) { BOOST_TEST(Json("a\xff").dump() == "\"a\xef\xbf\xbd\""); }

BOOST_AUTO_TEST_SUITE_END()
