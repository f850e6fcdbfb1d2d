// Vocabularies: every text has ids that give it back, and a vocabulary comes back from a checkpoint's string.
#include "data/vocabulary.h"

#include "tests/support/error_of.h"
#include "tests/support/pair_vocabulary.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(vocabulary_test)

namespace {

using Numbers = std::vector<int64_t>;

std::string all_bytes() {
  std::string text;
  for (int i = 0; i < 256; i++) text += char(i);
  return text;
}

std::string error_from(const std::string& string) {
  return error_of([&] { vocabulary_from_string(string, "a.safetensors"); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(bytes_are_their_own_ids) {
  const auto bytes = byte_vocabulary();
  BOOST_TEST((bytes->ids("The \xff") == Numbers{84, 104, 101, 32, 255}));
  BOOST_TEST(bytes->bytes(84) == "T");
  BOOST_TEST(bytes->bytes(0) == std::string(1, '\0'));
  BOOST_TEST(bytes->size() == 256);
  BOOST_TEST(bytes->kind() == "bytes");
  BOOST_TEST(bytes->units() == "bytes");
  BOOST_TEST(bytes->ids("").empty());
}

BOOST_AUTO_TEST_CASE(ids_give_the_text_back) {
  for (const auto& vocabulary : {byte_vocabulary(), pair_vocabulary()})
    for (const std::string& text : {std::string(), tiny_text(), all_bytes(), std::string("\n\xff\n\n\xff\xff")})
      BOOST_TEST(vocabulary->text(vocabulary->ids(text)) == text);
}

BOOST_AUTO_TEST_CASE(a_token_may_stand_for_several_bytes) {
  const auto pairs = pair_vocabulary();
  BOOST_TEST((pairs->ids("the he t") == Numbers{256, 258, 257, ' ', 't'}));
  BOOST_TEST(pairs->bytes(256) == "th");
  BOOST_TEST(pairs->size() == 263);
  BOOST_TEST(pairs->unit() == "token");
}

BOOST_AUTO_TEST_CASE(a_checkpoint_has_a_string_for_what_is_not_bytes) {
  BOOST_TEST(vocabulary_string(*byte_vocabulary()) == "");
  BOOST_TEST(vocabulary_from_string("", "it") == byte_vocabulary());
  const std::string string = vocabulary_string(*pair_vocabulary());
  BOOST_TEST(string == "pairs\nthhee ox jum\n\xff");
  const auto back = vocabulary_from_string(string, "it");
  BOOST_TEST((back->ids(tiny_text()) == pair_vocabulary()->ids(tiny_text())));
  BOOST_TEST(vocabulary_string(*back) == string);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_told_with_the_file) {
  BOOST_TEST(error_from("words\nthe fox") ==
             "vocabulary: a.safetensors has a vocabulary of the kind 'words', which this version does not know; it "
             "knows bytes, pairs");
  BOOST_TEST(error_from("pairs") == "vocabulary: a.safetensors is damaged: its vocabulary does not say its kind");
  BOOST_TEST(error_from("pairs\nthe") == "pairs: a.safetensors is damaged: its pairs have 3 bytes");
}

BOOST_AUTO_TEST_CASE(a_token_that_is_none_is_an_error) {
  BOOST_TEST(error_of([] {
               byte_vocabulary()->text({65, 256});
             }) == "vocabulary: there is no token 256 (at place 1); there are 0 to 255");
  BOOST_TEST(error_of([] { pair_vocabulary()->text({-1}); }) ==
             "vocabulary: there is no token -1 (at place 0); there are 0 to 262");
}

BOOST_AUTO_TEST_SUITE_END()
