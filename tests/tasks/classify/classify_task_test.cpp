// A classifier as a task: batches, scores, and a trainer that learns it.
#include "tasks/classify/classify_task.h"

#include <set>

#include "show/page.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/tasks/classify/tiny_classify.h"
#include "train/run_folder.h"
#include "train/trainer.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(classify_task_test)

namespace {

const LabelledText kData = LabelledText::of(tiny_rows(), "rows");

std::vector<double> losses(ClassifySettings s, long micro_batch, long steps) {
  s.micro_batch = micro_batch;
  ClassifyTask task(s, kData);
  Trainer trainer(task);
  std::vector<double> all;
  while (trainer.step() < steps) all.push_back(trainer.advance().loss);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(cats_and_dogs_are_told_apart) {
  ClassifyTask task(tiny_classify(), kData);
  Trainer trainer(task);
  Step last;
  while (trainer.step() < trainer.last_step()) last = trainer.advance();
  BOOST_TEST(task.training_score(last.loss, last.metrics) == 1);
  BOOST_TEST(last.metrics.at("accuracy") == 1);
  BOOST_TEST(task.validate({}) == 1);
  BOOST_TEST(task.score().better(0.9, 0.8));
}

BOOST_AUTO_TEST_CASE(a_batch_is_padded_and_says_its_lengths) {
  const LabelledExample a{"abc", 1}, b{std::string(50, 'x'), 0};
  const Batch batch = batch_of({&a, &b}, 40);
  BOOST_TEST(batch.inputs.shape() == (Shape{2, 40}));
  BOOST_TEST((batch.lengths.to_vector<int64_t>() == std::vector<int64_t>{3, 40}));
  BOOST_TEST((batch.targets.to_vector<int64_t>() == std::vector<int64_t>{1, 0}));
  BOOST_TEST(batch.inputs.at({0, 2}) == 'c');
  BOOST_TEST(batch.inputs.at({0, 3}) == 0);
  BOOST_TEST(batch.counted == 2);
  BOOST_TEST(batch_of({&a}, 40).inputs.size(1) == 32);
}

BOOST_AUTO_TEST_CASE(a_batch_has_texts_of_similar_lengths_and_all_texts_come) {
  std::vector<LabelledRow> rows;
  for (long i = 0; i < 400; i++) rows.push_back({i % 2 ? "a" : "b", std::string(size_t(1 + i), 'x'), i + 1});
  const LabelledText data = LabelledText::of(rows, "rows");
  ClassifySettings s = tiny_classify();
  s.context = 400, s.batch = 2;
  ClassifyTask task(s, data);
  std::set<int64_t> seen;
  for (uint32_t step = 1; step < 3000; step++) {
    const auto lengths =
        task.draw({.seed = 1, .step = step, .first = 0, .rows = 2, .context = 400}).lengths.to_vector<int64_t>();
    BOOST_TEST(std::abs(lengths[0] - lengths[1]) < 40);  // 360 texts in 16 buckets of about 23
    seen.insert(lengths.begin(), lengths.end());
  }
  BOOST_TEST(seen.size() == data.train.size());
}

BOOST_AUTO_TEST_CASE(micro_batches_compute_the_same) {
  ClassifySettings s = tiny_classify();
  s.batch = 5, s.dropout = 0.2;
  const std::vector<double> whole = losses(s, 0, 3);
  for (const long rows : {1, 2, 5}) {
    const std::vector<double> parts = losses(s, rows, 3);
    for (size_t i = 0; i < 3; i++) BOOST_TEST(std::abs(parts[i] / whole[i] - 1) < 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(the_tokens_of_a_step_are_without_padding) {
  ClassifyTask task(tiny_classify(), kData);
  Trainer trainer(task);
  const auto lengths =
      task.draw({.seed = 1, .step = 1, .first = 0, .rows = 4, .context = 40}).lengths.to_vector<int64_t>();
  BOOST_TEST(trainer.advance().tokens == lengths[0] + lengths[1] + lengths[2] + lengths[3]);
}

BOOST_AUTO_TEST_CASE(the_majority_and_what_is_cut_are_told) {
  ClassifySettings s = tiny_classify();
  s.context = 30;
  const ClassifyTask task(s, kData);
  const auto notes = task.notes();
  BOOST_REQUIRE(notes.size() == 2u);
  BOOST_TEST(notes[0] == "14 of 100 texts are longer than the context of 30 bytes: what is behind is not read");
  BOOST_TEST(notes[1].starts_with("always saying '"), notes[1]);
  BOOST_TEST(notes[1].ends_with("', the most frequent label: accuracy " +
                                std::to_string(task.majority_accuracy()).substr(0, 6)),
             notes[1]);
}

BOOST_AUTO_TEST_CASE(a_confusion_counts_what_was_taken_for_what) {
  Confusion c({"a", "bb"});
  c.counts = {{3, 1}, {0, 4}};
  BOOST_TEST(c.texts() == 8);
  BOOST_TEST(c.accuracy() == 0.875);
  BOOST_TEST(c.text() == "label  a  bb   right\n    a  3   1   75.0%\n   bb  0   4  100.0%\n");
  BOOST_TEST((Confusion::from_json(c.json()).counts == c.counts));
  BOOST_TEST(Confusion({"a"}).accuracy() == 0);
  BOOST_TEST(error_of([] { Confusion::from_json(Json::parse("{\"labels\":[\"a\"],\"counts\":[[1,2]]}", "it")); }) ==
             "confusion: there are 1 labels, and row 0 has 2");
}

BOOST_AUTO_TEST_CASE(the_page_shows_the_last_validation) {
  const Folder folder;
  const RunFolder run(folder.path.string());
  ClassifyTask task(tiny_classify(), kData);
  Page without("run");
  task.add_to_page(without, run);
  BOOST_TEST(without.html().find("taken for") == std::string::npos);
  task.validate({});
  task.write_samples(run, 7);
  Page page("run");
  task.add_to_page(page, run);
  BOOST_TEST(page.html().find("Step 7, 5 texts of the validation data") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(labels_come_back_from_a_checkpoint) {
  const ClassifyTask task(tiny_classify(), kData);
  BOOST_TEST((labels_from_text(task.strings().at(kLabelStrings), "it") == std::vector<std::string>{"cat", "dog"}));
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_be_are_refused) {
  const auto error = [](auto change) {
    ClassifySettings s = tiny_classify();
    change(s);
    return error_of([&] { check_settings(s); });
  };
  BOOST_TEST(error([](auto& s) { s.heads = 3; }) ==
             "settings: width is 16 and heads 3; the heads must divide the width");
  BOOST_TEST(
      error([](auto& s) { s.schedule = "constant:steps=3,window=2"; }) ==
      "settings: a phase of the schedule has a window of 2; a classifier reads the whole text. Leave it away, or "
      "choose a window attention");
  BOOST_TEST(error([](auto& s) { s.schedule = "constant:steps=3,context=80"; }) ==
             "settings: a phase of the schedule has context 80; the model's is 40, which is the longest");
  BOOST_TEST(error([](auto& s) { s.pool = "max"; }).find("pool") != std::string::npos);
  BOOST_TEST(error_of([] { classify_preset("huge"); }).find("tiny, small") != std::string::npos);
  BOOST_TEST(error_of([] { classify_settings_from_json(Json::parse("{\"preset\":\"tiny\"}", "it"), "it"); }) ==
             "settings: it does not say 'preset' and 'pool'; it is not of a classifier of this version");
}

// Every variant that honours padding is taken, and the others are refused with a sentence.
BOOST_AUTO_TEST_CASE(any_attention_that_honours_padding_trains) {
  for (const Variant* variant : variants())
    for (const std::string& spec : shown_specs(*variant)) {
      ClassifySettings s = tiny_classify();
      s.attention = spec;
      const bool can = make_mixer(spec, {.C = s.width, .heads = s.heads, .max_length = s.context})->can().padding;
      if (can)
        BOOST_TEST(losses(s, 0, 1)[0] > 0, spec);
      else
        BOOST_TEST(error_of([&] { check_settings(s); }).find(spec + " would read the padding behind shorter texts") !=
                       std::string::npos,
                   spec);
    }
}

BOOST_AUTO_TEST_CASE(any_ordering_and_less_memory_are_settings_here_too) {
  ClassifySettings s = tiny_classify();
  s.layers = 2, s.ordering = "sandwich:1";
  BOOST_TEST(to_json(s).at("ordering").text() == "ssff");  // by its letters, so that no name is needed later
  BOOST_TEST(model_options(s, 2).stack.ordering == "ssff");
  const std::vector<double> plain = losses(s, 0, 5);
  s.recompute_blocks = true;
  BOOST_TEST(losses(s, 0, 5) == plain, boost::test_tools::per_element());
  s.recompute_blocks = false, s.reversible = true;
  BOOST_TEST(losses(s, 0, 5) != plain);
  s.ordering = "ff";
  BOOST_TEST(
      error_of([&] { check_settings(s); }).starts_with("settings: the ordering 'ff' has nothing that mixes tokens"));
}

BOOST_AUTO_TEST_SUITE_END()
