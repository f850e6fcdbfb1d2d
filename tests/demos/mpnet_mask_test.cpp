// build/mpnet mask as a user calls it: the sentence of the MPNet paper in the three objectives, to the letter, and its
// pictures, which docs/objectives.md shows.
#include "show/picture.h"
#include "system/write_file.h"
#include "tests/demos/charlm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(mpnet_mask_test)

namespace {

struct Masks {
  Folder folder;
  std::string out = folder / "new/mask";
  Ran operator()(Words words) const {
    words.insert(words.begin(), {"mask", "--out", out});
    return Charlm(folder.path.string(), words, "", "mpnet").wait();
  }
};

const char* const kSentence = R"(what is predicted from what:
  mlm   log P(sentence | the task is [M] [M]) + log P(classification | the task is [M] [M])
  plm   log P(sentence | the task is) + log P(classification | the task is sentence)
  mpnet log P(sentence | the task is [M] [M]) + log P(classification | the task is sentence [M])

who sees whom: a row for each, 1 where it sees a column. U: not predicted, T: predicted, K: [M] at the place
of T, Q: a query, which nobody sees. Every row is one range.

mlm
 U U U K K   content stream
 1 1 1 1 1   U  the
 1 1 1 1 1   U  task
 1 1 1 1 1   U  is
 1 1 1 1 1   K  sentence
 1 1 1 1 1   K  classification

plm
 U U U T T   content stream
 1 1 1 . .   U  the
 1 1 1 . .   U  task
 1 1 1 . .   U  is
 1 1 1 1 .   T  sentence
 1 1 1 1 1   T  classification
             query stream
 1 1 1 . .   Q  sentence
 1 1 1 1 .   Q  classification

mpnet
 K K U U U T T   content stream
 1 1 1 1 1 . .   K  sentence
 1 1 1 1 1 . .   K  classification
 1 1 1 1 1 . .   U  the
 1 1 1 1 1 . .   U  task
 1 1 1 1 1 . .   U  is
 . 1 1 1 1 1 .   T  sentence
 . . 1 1 1 1 1   T  classification
                 query stream
 1 1 1 1 1 . .   Q  sentence
 . 1 1 1 1 1 .   Q  classification

)";

}  // namespace

BOOST_AUTO_TEST_CASE(the_sentence_of_the_paper_has_its_three_factorisations) {
  const Masks masks;
  const Ran ran = masks({"--text", "the task is sentence classification"});
  BOOST_REQUIRE_MESSAGE(ran.code == 0, ran.err);
  BOOST_TEST(ran.out == kSentence + ("the picture is " + masks.out + ".png, and " + masks.out + ".svg\n"));
  BOOST_TEST((masks({}).out == ran.out));  // it is the text if nothing is said
  BOOST_TEST(read_file(masks.out + ".png").starts_with("\x89PNG"));
  const bool same = read_file(masks.out + ".svg") == read_file("docs/objectives-mask.svg");
  BOOST_TEST(same, "docs/objectives-mask.svg is not what `build/mpnet mask --out docs/objectives-mask` draws");
}

BOOST_AUTO_TEST_CASE(another_order_of_six_words_is_the_example_of_the_paper) {
  const Ran ran = Masks()({"--text", "x1 x2 x3 x4 x5 x6", "--order", "1,3,5,4,6,2", "--predicted", "0.5"});
  BOOST_TEST(contains(ran.out,
                      "mpnet log P(x4 | x1 [M] x3 [M] x5 [M]) + log P(x6 | x1 [M] x3 x4 x5 [M]) + "
                      "log P(x2 | x1 [M] x3 x4 x5 x6)\n"),
             ran.out);
  BOOST_TEST(contains(ran.out, "plm   log P(x4 | x1 x3 x5) + log P(x6 | x1 x3 x4 x5) + log P(x2 | x1 x3 x4 x5 x6)\n"));
  BOOST_TEST(contains(ran.out, " K K K U U U T T T   content stream\n"));
  BOOST_TEST(contains(ran.out, " . . 1 1 1 1 1 1 .   Q  x2\n"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_said) {
  const Masks masks;
  const auto error = [&](const Words& words) {
    const Ran ran = masks(words);
    BOOST_TEST(ran.code == 1);
    return ran.err;
  };
  BOOST_TEST(contains(error({"--predicted", "0"}), "the share of predicted tokens is 0; it must lie between 0 and 1"));
  BOOST_TEST(contains(error({"--predicted", "1"}), "the share of predicted tokens is 1; it must lie between 0 and 1"));
  BOOST_TEST(contains(error({"--text", "alone"}),
                      "the text has 1 word, and 1 is to be predicted from the others: it is "
                      "shorter than its mask. Give a longer text, or a smaller --predicted"));
  BOOST_TEST(contains(error({"--text", " "}), "the text has no word; give one with --text"));
  BOOST_TEST(contains(error({"--text", "a b c", "--order", "1,2,4"}),
                      "'4' in the order 1,2,4 is no word's number; they go from 1 to 3"));
  BOOST_TEST(contains(error({"--text", "a b c", "--order", "1,2,2"}),
                      "the order 1,2,2 must name each of the 3 words once, such as 1,3,2 for three"));
}

BOOST_AUTO_TEST_SUITE_END()
