// The attention page: its data, and the text it shows.
#include "show/attention_page.h"

#include "tensor/create.h"
#include "tests/show/xml.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(attention_page_test)

BOOST_AUTO_TEST_CASE(weights_are_bytes_in_base64_one_text_for_each_head) {
  const Tensor weights = tensor({1, 0, 0.2, 0.8, 1, 0, 1, 0}, {2, 2, 2});  // 255 0 51 204, 255 0 255 0
  const std::string html = attention_page({"a", "b"}, "byte", {weights, weights}).html();
  const std::string heads = "[\"/wAzzA==\",\"/wD/AA==\"]";
  BOOST_TEST(count(html, "const data = {\"text\":[\"a\",\"b\"],\"layers\":[" + heads + "," + heads + "]};") == 1);
}

BOOST_AUTO_TEST_CASE(every_character_is_one_in_a_picture) {
  BOOST_TEST(one_character_each("a\u00e4\n\x01~\u20ac\xff") == "a.\n.~..");
}

BOOST_AUTO_TEST_CASE(text_beyond_ascii_reads_as_text) {
  const Tensor weights = tensor({1, 0, 0, 0.5, 0.5, 0, 0.2, 0.4, 0.4}, {1, 3, 3});  // a, and two bytes of one character
  const std::string html = attention_page({"a", "\xc3", "\xa4"}, "byte", {weights}).html();
  BOOST_TEST(count(html, "\"text\":[\"a\",\"\u00e4\"]") == 1);
  BOOST_TEST(count(html, "\"layers\":[[\"/wAzzA==\"]]") == 1);  // 255 0, 51 204
  BOOST_TEST(count(html, "What each character looks at") >= 1);
  BOOST_TEST(count(html, "it looks with its last byte") == 1);
  BOOST_TEST(count(attention_page({"<", "b"}, "byte", {zeros({1, 2, 2})}).html(), R"("text":["\u003c","b"])") == 1);
}

BOOST_AUTO_TEST_CASE(a_token_may_have_several_bytes) {
  const std::string html = attention_page({"The", "\xc3\xa4\n"}, "token", {zeros({1, 2, 2})}).html();
  BOOST_TEST(count(html, "\"text\":[\"The\",\"\u00e4\\n\"]") == 1);
  BOOST_TEST(count(html, "What each token looks at") >= 1);
}

BOOST_AUTO_TEST_CASE(the_elements_that_the_script_looks_for_are_there) {
  const std::string html = attention_page({"a"}, "byte", {ones({1, 1, 1})}).html();
  for (const std::string id : {"layers", "text", "heads"}) {
    BOOST_TEST(count(html, "<div id='" + id + "'") == 1, id);
    BOOST_TEST(count(html, "byId('" + id + "')") >= 1, id);
  }
}

BOOST_AUTO_TEST_CASE(weights_that_do_not_fit_the_text_are_an_error) {
  BOOST_TEST(error_of([] {
               attention_page({"a", "b", "c"}, "byte", {ones({1, 2, 3})});
             }) == "attention_page: the weights are (1, 2, 3); for a text of 3 bytes they must be (H, 3, 3)");
}

BOOST_AUTO_TEST_SUITE_END()
