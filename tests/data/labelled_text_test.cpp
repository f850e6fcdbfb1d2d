#include "data/labelled_text.h"

#include <set>

#include "system/write_file.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(labelled_text_test)

namespace {

std::vector<LabelledRow> rows_of(long count) {
  std::vector<LabelledRow> rows;
  for (long i = 0; i < count; i++) rows.push_back({i % 3 ? "odd" : "even", "text " + std::to_string(i), i + 1});
  return rows;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_table_may_name_its_columns_or_have_two) {
  const Folder folder;
  write_file(folder / "a.tsv", "b\tone\na\ttwo\nb\tthree\n");
  write_file(folder / "a.csv", "id,Text,label\n1,\"one, or\",b\n2,two,a\n3,three,b\n");
  for (const char* name : {"a.tsv", "a.csv"}) {
    const LabelledText data = LabelledText::open(folder / name);
    BOOST_TEST((data.labels == std::vector<std::string>{"a", "b"}));
    BOOST_TEST(data.all().size() == 3u);
    BOOST_TEST(data.summary() == "3 texts of 2 labels: train 1, valid 1, test 1");
  }
  BOOST_TEST(read_labelled_rows(folder / "a.csv")[0].text == "one, or");
  BOOST_TEST(read_labelled_rows(folder / "a.csv")[0].line == 2);
}

BOOST_AUTO_TEST_CASE(every_row_is_in_exactly_one_part_and_5_percent_are_held_out_twice) {
  const LabelledText data = LabelledText::of(rows_of(200), "rows");
  BOOST_TEST(data.train.size() == 180u);
  BOOST_TEST(data.valid.size() == 10u);
  BOOST_TEST(data.test.size() == 10u);
  std::set<std::string> texts;
  for (const LabelledExample& example : data.all()) texts.insert(example.text);
  BOOST_TEST(texts.size() == 200u);
  const LabelledText again = LabelledText::of(rows_of(200), "rows");
  for (size_t i = 0; i < 10; i++) BOOST_TEST(again.valid[i].text == data.valid[i].text);
  BOOST_TEST(data.fingerprint == again.fingerprint);
  BOOST_TEST(data.fingerprint != LabelledText::of(rows_of(201), "rows").fingerprint);
}

BOOST_AUTO_TEST_CASE(the_majority_is_the_most_frequent_label) {
  const LabelledExamples examples = {{"a", 1}, {"b", 0}, {"c", 1}, {"d", 2}};
  BOOST_TEST(majority_label(examples, 3) == 1);
  BOOST_TEST(share_of_label(examples, 1) == 0.5);
  BOOST_TEST(share_of_label({}, 1) == 0);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_with_file_and_line) {
  const Folder folder;
  const std::string path = folder / "a.tsv";
  const auto error = [&](const std::string& text) {
    write_file(path, text);
    return error_of([&] { LabelledText::open(path); });
  };
  BOOST_TEST(error("a\tone\nb\n") == "labelled_text: " + path + ":2: there are 1 fields; the first line has 2");
  BOOST_TEST(error("a\tone\n\nb\t\n") == "labelled_text: " + path + ":3: the text is empty");
  BOOST_TEST(error("\tone\n") == "labelled_text: " + path + ":1: the label is empty");
  BOOST_TEST(error("a\tone\na\ttwo\na\tthree\n") ==
             "labelled_text: " + path + ": every text has the label 'a'; there is nothing to tell apart");
  BOOST_TEST(error("a\tone\nb\ttwo\n") ==
             "labelled_text: " + path + " has 2 texts; train, valid and test need at least one each");
  BOOST_TEST(error("") == "labelled_text: " + path + " is empty; there is nothing to learn");
  BOOST_TEST(error("a\tb\tc\n").starts_with("labelled_text: " + path + ":1: there are 3 fields; give two, label and"));
  BOOST_TEST(error_of([&] {
               LabelledText::of(rows_of(9), "rows", {"even"});
             }).ends_with("the label 'odd' is none of those that were learned: even"));
}

BOOST_AUTO_TEST_CASE(a_label_that_training_never_has_is_told) {
  std::vector<LabelledRow> rows = rows_of(40);
  const std::string held_out = LabelledText::of(rows, "rows").valid[0].text;
  for (LabelledRow& row : rows)
    if (row.text == held_out) row.label = "rare";
  const LabelledText data = LabelledText::of(rows, "rows");
  BOOST_REQUIRE(data.notes.size() == 1u);
  BOOST_TEST(data.notes[0] ==
             "the label 'rare' is in no text for training, only in validation or test: it cannot be learned");
}

BOOST_AUTO_TEST_SUITE_END()
