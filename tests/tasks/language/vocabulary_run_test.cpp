// A language model of another vocabulary than bytes: trained, measured in bits per byte, saved with its vocabulary,
// loaded and writing.
#include <cmath>

#include "data/vocabulary.h"
#include "system/write_file.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/language_task.h"
#include "tasks/language/lm_run_load.h"
#include "tasks/language/text_sampler.h"
#include "tensor/copy.h"
#include "tests/demos/charlm.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "tests/support/pair_vocabulary.h"
#include "tests/support/tiny_lm.h"
#include "train/checkpoint_files.h"
#include "train/run.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(vocabulary_run_test)

namespace {

LmSettings some_steps(long steps) {
  LmSettings s = tiny_lm();
  s.schedule = "constant:warmup=1";  // so that steps do not depend on how many there will be
  s.steps = steps, s.checkpoint_every = 10, s.sample_bytes = 25;
  return s;
}

// A text in a folder, and a place for a run.
struct Text {
  Folder folder;
  std::string file = folder / "a.txt", run = folder / "run";
  ByteData data;

  Text() : data((write_file(file, tiny_text()), ByteData::open(file))) {}
  RunResult train(long steps, const std::shared_ptr<const Vocabulary>& vocabulary = pair_vocabulary()) const {
    LmSettings s = some_steps(steps);
    s.data = file;
    LanguageTask task(s, data, vocabulary);
    return train_run(task, {.run = run, .resume = true, .quiet = true});
  }
};

Tensor table_of(Gpt& model) { return model.parameters().front()->value.value(); }

}  // namespace

BOOST_AUTO_TEST_CASE(it_learns_and_its_score_is_per_byte) {
  const Text text;
  LanguageTask task(some_steps(40), text.data, pair_vocabulary());
  BOOST_TEST(task.model().vocabulary_size() == 263);
  BOOST_TEST(task.unit() == "tokens");
  const double bytes_per_token =
      double(text.data.train.size()) / double(TokenSplit(text.data.train, pair_vocabulary()).size());
  BOOST_TEST(bytes_per_token > 1.1);
  BOOST_TEST(task.training_score(3, {}) == 3 / std::log(2.0) / bytes_per_token);
  const RunResult first = text.train(2), last = text.train(40);
  BOOST_TEST(first.valid_score > 5);
  BOOST_TEST(last.valid_score < 4);
}

// All tokens equally likely: log2 V bits for every token but the first of a document.
BOOST_AUTO_TEST_CASE(bits_per_byte_are_those_of_the_tokens_over_the_bytes_that_count) {
  const std::vector<std::string> texts = {"the ox", "he", "fox jumps"};  // th-e_-ox, he, f-ox-_j-um-p-s
  Gpt model(model_options(tiny_lm(), 263));
  for (Parameter* p : model.parameters()) fill(p->value.value(), 0);
  const Evaluation e = bits_per_byte(model, TokenSplit(split_of(texts), pair_vocabulary()), {.batch = 2, .context = 4});
  BOOST_TEST(e.bytes == 4 + 0 + 8);
  BOOST_TEST(std::abs(e.bpc - std::log2(263.0) * (2 + 0 + 5) / 12) < 1e-6);  // in f32
}

BOOST_AUTO_TEST_CASE(a_text_of_another_vocabulary_than_the_models_is_refused) {
  Gpt model(model_options(tiny_lm()));
  model.initialise(1);
  BOOST_TEST(error_of([&] { bits_per_byte(model, TokenSplit(split_of({"the"}), pair_vocabulary()), {}); }) ==
             "bits_per_byte: the model has 256 tokens and the vocabulary of the part 'part' 263; a text is measured "
             "with the model's own");
  BOOST_TEST(error_of([&] { sampled_text(model, *pair_vocabulary(), "the", {}); }) ==
             "sample: the model has 256 tokens and the vocabulary 263; a model writes with its own");
}

BOOST_AUTO_TEST_CASE(a_sample_is_the_text_of_its_tokens) {
  const Text text;
  text.train(40);
  const LoadedModel loaded = load_run(text.run);
  const Ids ids = sampled(*loaded.model, {{256, 258}}, {.length = 60, .seed = 3})[0];
  const std::string all = loaded.vocabulary->text(ids);
  BOOST_TEST(all.size() > 60);  // it has learned the pairs
  for (const long length : {60L, 59L, 1L, 0L})
    BOOST_TEST(sampled_text(*loaded.model, *loaded.vocabulary, "the ", {.length = length, .seed = 3}) ==
               all.substr(0, size_t(length)));
  BOOST_TEST(read_file(text.run + "/samples/step-000040.txt").size() == 25u);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_has_its_vocabulary_and_a_run_goes_on_with_it) {
  const Text text;
  text.train(10);
  BOOST_TEST(vocabulary_of_run(text.run)->kind() == "pairs");
  text.train(20, vocabulary_of_run(text.run));
  const LoadedModel loaded = load_run(text.run);
  BOOST_TEST(loaded.step == 20);
  BOOST_TEST(loaded.model->vocabulary_size() == 263);
  BOOST_TEST(vocabulary_string(*loaded.vocabulary) == vocabulary_string(*pair_vocabulary()));
  const Text at_once;
  at_once.train(20);
  BOOST_TEST((table_of(*load_run(at_once.run).model).to_vector<float>() == table_of(*loaded.model).to_vector<float>()));
}

BOOST_AUTO_TEST_CASE(bytes_leave_no_string_in_a_checkpoint) {
  const Text text;
  text.train(10, byte_vocabulary());
  const CheckpointFiles files(text.run);
  BOOST_TEST(read_checkpoint(files.path(10)).strings.empty());
  BOOST_TEST(load_run(text.run).vocabulary == byte_vocabulary());
  BOOST_TEST(vocabulary_of_run(text.run) == byte_vocabulary());
  BOOST_TEST(vocabulary_of_run(text.folder / "none") == byte_vocabulary());
}

BOOST_AUTO_TEST_CASE(a_run_does_not_go_on_with_another_vocabulary) {
  const Text text;
  text.train(10);
  const auto other = std::make_shared<PairVocabulary>(std::vector<std::string>(7, "xy"));  // of the same size
  for (const auto& vocabulary : {std::shared_ptr<const Vocabulary>(other), byte_vocabulary()})
    BOOST_TEST(error_of([&] { text.train(10, vocabulary); }) ==
               "train: " + CheckpointFiles(text.run).path(10) +
                   " was trained with another vocabulary than this task has: what its model has learned does not fit "
                   "it");
}

BOOST_AUTO_TEST_CASE(a_kind_that_a_program_does_not_know_is_told) {
  const Text text;
  text.train(10);
  for (const char* command : {"sample", "eval", "look", "info"}) {  // charlm knows no pairs
    const Ran ran = charlm(text.folder.path.string(), {command, "--run", text.run});
    BOOST_TEST(ran.code == 1);
    BOOST_TEST(contains(ran.err, "charlm: vocabulary: " + CheckpointFiles(text.run).path(10) +
                                     " has a vocabulary of the kind 'pairs', which this version does not know; it "
                                     "knows bytes\n"),
               ran.err);
  }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_short_in_tokens_is_refused_before_training) {
  const Folder folder;
  write_file(folder / "a", std::string("the the the the the the the the the the the the "));  // 43 bytes to learn
  const ByteData data = ByteData::open(folder / "a");
  LmSettings s = tiny_lm();
  s.context = 30;
  LanguageTask(s, data);
  BOOST_TEST(error_of([&] {
               LanguageTask(s, data, pair_vocabulary());
             }).starts_with("token_data: the part 'train' has 22 tokens; a window of 30 inputs"));
}

BOOST_AUTO_TEST_SUITE_END()
