// The trainer on its first task, a language model: it learns, and what it computes does not depend on how.
#include "tasks/language/language_task.h"

#include "autograd/finite.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/norm.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/on_threads.h"
#include "tests/support/tiny_lm.h"
#include "tests/support/tiny_trainer.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(language_task_test)

namespace {

const std::vector<std::string> kText = {tiny_text()};
// Short documents: windows have several of them, and targets that do not count.
const std::vector<std::string> kDocuments = {"one two three", "four", "x", "five six seven eight nine", "ten eleven"};

// Copies: what a trainer's state shows are views.
std::vector<Tensor> tensors_of(LmTrainer& trainer) {
  std::vector<Tensor> list;
  const TrainingState state = trainer.state();
  for (const auto* part : {&state.weights, &state.optimiser})
    for (const NamedTensor& tensor : *part) list.push_back(clone(tensor.value));
  return list;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool same = a.size() == b.size();
  for (size_t i = 0; same && i < a.size(); i++) same = ::same_bits(a[i], b[i]);
  return same;
}

struct Trained {
  std::vector<double> losses;
  std::vector<Tensor> tensors;
};
Trained trained(const LmSettings& s, const ByteSplit& data, long steps) {
  LmTrainer trainer(s, data);
  Trained result;
  while (trainer.step() < steps) result.losses.push_back(trainer.advance().loss);
  result.tensors = tensors_of(trainer);
  return result;
}

// One weight becomes NaN.
void poison(LmTrainer& trainer) { fill(trainer.model().parameters().back()->value.value(), NAN); }

}  // namespace

BOOST_AUTO_TEST_CASE(the_loss_falls) {
  LmTrainer trainer(tiny_lm(), split_of(kText));
  BOOST_TEST(trainer.last_step() == 40);
  const Step first = trainer.advance();
  BOOST_TEST(std::abs(first.loss / std::log(2.0) - 8) < 0.3);
  BOOST_TEST(first.tokens == 64);
  BOOST_TEST(first.gradient_norm > 0);
  BOOST_TEST(first.rate == 1e-2 / 20);  // it warms up for half of its 40 steps
  double last = 0;
  while (trainer.step() < trainer.last_step()) last = trainer.advance().loss / std::log(2.0);
  BOOST_TEST(last < 5.5);
}

BOOST_AUTO_TEST_CASE(micro_batches_compute_the_same) {
  for (const auto* texts : {&kText, &kDocuments})
    for (const double dropout : {0.0, 0.3}) {
      LmSettings s = tiny_lm();
      s.dropout = dropout;
      s.batch = 5;  // the last micro-batch may be smaller
      const Trained whole = trained(s, split_of(*texts), 3);
      for (const long rows : {1, 2, 4, 5}) {
        s.micro_batch = rows;
        const Trained parts = trained(s, split_of(*texts), 3);
        for (size_t i = 0; i < 3; i++) BOOST_TEST(std::abs(parts.losses[i] / whole.losses[i] - 1) < 1e-6);
      }
    }
}

// The gradients themselves: the first momentum of sgd is the gradient.
BOOST_AUTO_TEST_CASE(micro_batches_have_the_same_gradients) {
  LmSettings s = tiny_lm();
  s.optimiser = "sgd";
  s.clip = 0;
  s.weight_decay = 0;
  s.dropout = 0.2;
  for (const auto* texts : {&kText, &kDocuments}) {
    s.micro_batch = 0;
    const Trained whole = trained(s, split_of(*texts), 1);
    for (const long rows : {1, 2, 3}) {
      s.micro_batch = rows;
      const Trained parts = trained(s, split_of(*texts), 1);
      for (size_t i = 0; i < whole.tensors.size(); i++)
        BOOST_TEST(norm(sub(parts.tensors[i], whole.tensors[i])) <= 1e-6 * norm(whole.tensors[i]) + 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same_bits) {
  LmSettings s = tiny_lm();
  s.width = 48;
  s.context = 40;
  s.dropout = 0.1;
  s.micro_batch = 3;
  Trained one, two;
  on_threads(1, [&] { one = trained(s, split_of(kText), 4); });
  for (const int threads : {2, 3}) {
    on_threads(threads, [&] { two = trained(s, split_of(kText), 4); });
    BOOST_TEST(one.losses == two.losses);
    BOOST_TEST(same_bits(one.tensors, two.tensors));
  }
}

BOOST_AUTO_TEST_CASE(a_restored_trainer_goes_on_to_the_same_bits) {
  for (const std::string& optimiser : optimiser_names()) {
    LmSettings s = tiny_lm();
    s.optimiser = optimiser;
    s.dropout = 0.2;
    s.schedule = "steps=4,context=8;cosine:steps=6,window=4,warmup=2";
    const Trained whole = trained(s, split_of(kDocuments), 10);
    LmTrainer before(s, split_of(kDocuments));
    while (before.step() < 5) before.advance();
    const TrainingState state = to_training_state(to_safetensors(before.state()), "a copy");
    s.seed = 1;
    LmTrainer after(s, split_of(kDocuments));
    after.try_step(1);  // must leave no trace
    after.restore(state, "a copy");
    BOOST_TEST(after.step() == 5);
    after.try_step(1);
    for (size_t i = 5; i < 10; i++) BOOST_TEST(after.advance().loss == whole.losses[i]);
    BOOST_TEST(same_bits(tensors_of(after), whole.tensors), optimiser);
  }
}

BOOST_AUTO_TEST_CASE(a_state_that_does_not_fit_is_refused) {
  LmSettings s = tiny_lm();
  LmTrainer small(s, split_of(kText));
  s.width = 32;
  LmTrainer wide(s, split_of(kText));
  BOOST_TEST(error_of([&] {
               wide.restore(small.state(), "it");
             }).starts_with("load_model: it does not fit: 'input.tokens.weight' is (256, 16), expected (256, 32)"));
  s = tiny_lm();
  s.optimiser = "sgd";
  LmTrainer sgd(s, split_of(kText));
  BOOST_TEST(error_of([&] {
               sgd.restore(small.state(), "it");
             }).starts_with("join_flat: it does not fit: 'momentum.input.tokens.weight' is missing"));
}

BOOST_AUTO_TEST_CASE(phases_change_context_window_and_rate) {
  LmSettings s = tiny_lm();
  s.schedule = "steps=2,context=8,rate=1e-3;steps=3,window=2,rate=2e-3";
  LmTrainer trainer(s, split_of(kText));
  BOOST_TEST(trainer.last_step() == 5);
  BOOST_TEST(trainer.phase().context == 8);
  for (const long tokens : {32, 32, 64, 64, 64}) {
    const Step done = trainer.advance();
    BOOST_TEST(done.tokens == tokens);
    BOOST_TEST(done.rate == (tokens == 32 ? 1e-3 : 2e-3));
  }
  BOOST_TEST(trainer.phase().window == 2);
  // A window as wide as the context hides nothing; a narrow one does.
  s.schedule = "constant:steps=1";
  const double all = trained(s, split_of(kText), 1).losses[0];
  s.schedule = "constant:steps=1,window=15";
  BOOST_TEST(std::abs(trained(s, split_of(kText), 1).losses[0] - all) < 1e-6);
  s.schedule = "constant:steps=1,window=1";
  BOOST_TEST(std::abs(trained(s, split_of(kText), 1).losses[0] - all) > 1e-6);
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_not_finite_names_the_op_and_leaves_the_weights) {
  for (const double clip : {0.0, 1.0})
    for (const bool everything : {false, true}) {
      LmSettings s = tiny_lm();
      s.clip = clip, s.schedule = "cosine:warmup=4";
      LmTrainer trainer(s, split_of(kText));
      trainer.advance();
      trainer.check_weights();
      poison(trainer);
      const std::vector<Tensor> before = tensors_of(trainer);
      BOOST_CHECK_THROW(trainer.advance(everything), NotFinite);
      const std::string error = error_of([&] { trainer.advance(everything); });
      BOOST_TEST(error.starts_with(everything ? "train: a result of step 2 is not finite: "
                                              : "train: the loss of step 2 is not finite: "),
                 error);
      BOOST_TEST(error.find("it made nan: the first of ") != std::string::npos, error);
      BOOST_TEST(
          error.ends_with(". The learning rate is 0.005: go on from the last checkpoint with a lower one, or with a "
                          "longer warm-up"),
          error);
      BOOST_TEST(trainer.step() == 1);
      BOOST_TEST(same_bits(tensors_of(trainer), before));
      BOOST_TEST(error_of([&] {
                   trainer.check_weights();
                 }).starts_with("train: the weights of step 1 are not finite: they are not saved"));
    }
}

BOOST_AUTO_TEST_CASE(looking_at_everything_computes_the_same) {
  LmTrainer a(tiny_lm(), split_of(kText)), b(tiny_lm(), split_of(kText));
  for (int i = 0; i < 3; i++) BOOST_TEST(a.advance(true).loss == b.advance(false).loss);
  BOOST_TEST(same_bits(tensors_of(a), tensors_of(b)));
}

BOOST_AUTO_TEST_CASE(a_trial_step_changes_nothing_and_tells_the_memory) {
  LmTrainer trainer(tiny_lm(), split_of(kText));
  const std::vector<Tensor> before = tensors_of(trainer);
  const Needs needs = trainer.try_step(1);
  BOOST_TEST(needs.bytes > size_t(trainer.model().parameter_count() * 8));  // at least weights and gradients
  BOOST_TEST(needs.seconds > 0);
  BOOST_TEST(trainer.step() == 0);
  BOOST_TEST(same_bits(tensors_of(trainer), before));
}

BOOST_AUTO_TEST_CASE(bad_settings_and_data_are_refused) {
  LmSettings s = tiny_lm();
  s.heads = 3;
  BOOST_TEST(error_of([&] { LmTrainer(s, split_of(kText)); }) ==
             "settings: width is 16 and heads 3; the heads must divide the width");
  s = tiny_lm();
  LmTrainer short_data(s, split_of({"too short"}));
  BOOST_TEST(error_of([&] {
               short_data.advance();
             }).starts_with("token_data: the part 'part' has 9 bytes; a window of 16 inputs"));
  const std::vector<std::string> letters(40, "a");
  LmTrainer nothing(s, split_of(letters));
  BOOST_TEST(error_of([&] { nothing.advance(); }) ==
             "train: step 1 has nothing to predict: its windows of 16 bytes hold only documents of one byte; join some "
             "of them");
}

BOOST_AUTO_TEST_CASE(a_phase_has_its_batch_and_its_windows_in_training_and_validation) {
  LmSettings s = tiny_lm();
  s.attention = "window:left=8", s.micro_batch = 2;
  s.schedule = "steps=2,batch=6,windows=0.5,context=8;steps=2,batch=2";
  LmTrainer trainer(s, split_of(kText));
  LmSettings alike = s;
  alike.attention = "window:left=4", alike.schedule = "constant:steps=4,context=8,warmup=0", alike.batch = 6;
  LmTrainer narrow(alike, split_of(kText));
  for (int i = 0; i < 2; i++) {
    const Step done = trainer.advance(), other = narrow.advance();
    BOOST_TEST(done.loss == other.loss);
    BOOST_TEST(done.tokens == 6 * 8);
  }
  BOOST_TEST(trainer.advance().tokens == 2 * 16);
  alike.batch = s.batch;  // validation reads the settings' batch: equal ones add up the same sums
  LanguageTask task(s, split_of(kText), split_of(kText)), short_window(alike, split_of(kText), split_of(kText));
  const Phase first = schedule_of(s).phases()[0];
  task.model().initialise(1), short_window.model().initialise(1);
  BOOST_TEST(task.validate(first) == short_window.validate({.context = 8}));
  BOOST_TEST(task.validate(first) != task.validate({.context = 8}));
}

BOOST_AUTO_TEST_CASE(what_is_frozen_stays_and_the_rest_learns) {
  LmSettings s = tiny_lm();
  s.layers = 2, s.freeze = "input,stack.layer_0";
  LmTrainer trainer(s, split_of(kText));
  std::map<std::string, Tensor> before;
  for (Parameter* p : trainer.model().parameters()) before[p->path] = clone(p->value.value());
  for (int i = 0; i < 5; i++) trainer.advance();
  for (Parameter* p : trainer.model().parameters()) {
    const bool frozen = p->path.starts_with("input.") || p->path.starts_with("stack.layer_0.");
    BOOST_TEST(::same_bits(p->value.value(), before[p->path]) == frozen, p->path);
  }
  LmTrainer again(s, split_of(kText));
  again.restore(trainer.state(), "a copy");  // frozen ones too
  BOOST_TEST(same_bits(tensors_of(again), tensors_of(trainer)));
  s.freeze = "input,stack";
  BOOST_TEST(error_of([&] { LmTrainer(s, split_of(kText)); }) ==
             "train: all of the model is frozen by 'input,stack'; leave something to train");
  s.freeze = "input,stack.layer_7";
  BOOST_TEST(error_of([&] {
               LmTrainer(s, split_of(kText));
             }).starts_with("freeze: there is no part of the model 'stack.layer_7'; there are input.tokens, "));
}

BOOST_AUTO_TEST_SUITE_END()
