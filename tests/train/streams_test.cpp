// Training on streams: rows read on where they ended, and what the model remembers of them is part of the training. It
// is saved, it survives a kill, and a step that is only tried leaves it alone.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>

#include "autograd/finite.h"
#include "system/write_file.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/demos/charlm.h"
#include "tests/support/compare.h"
#include "tests/support/echo_mixer.h"
#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"
#include "tests/support/tiny_trainer.h"
#include "train/run.h"

using namespace heed;

namespace {

LmSettings streaming(const std::string& attention) {
  LmSettings s = tiny_lm();
  s.layers = 2, s.attention = attention, s.positions = "none";
  s.streams = true;
  s.batch = 4, s.micro_batch = 3, s.context = 8, s.steps = 40;
  s.dropout = 0.1, s.schedule = "constant:warmup=0";
  return s;
}

const std::vector<std::string> kAttentions = {"linear", "window:left=5", "local:block=4", "decayed-sum", "echo"};
const std::vector<std::string> kText = {tiny_text(20), tiny_text(3)};

std::vector<Tensor> tensors_of(Trainer& trainer) {
  std::vector<Tensor> list;
  const TrainingState state = trainer.state();
  for (const auto* part : {&state.weights, &state.optimiser, &state.streams})
    for (const NamedTensor& tensor : *part) list.push_back(clone(tensor.value));
  return list;
}

void check_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::string& what) {
  BOOST_TEST_REQUIRE(a.size() == b.size(), what);
  for (size_t i = 0; i < a.size(); i++) BOOST_TEST(same_bits(a[i], b[i]), what << ": tensor " << i);
}

void advance(Trainer& trainer, long steps) {
  for (long i = 0; i < steps; i++) trainer.advance();
}

TrainingState copied(Trainer& trainer) {  // the tensors of state() are views
  return to_training_state(to_safetensors(trainer.state()), "a copy");
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(streams_test, WithEcho)

// The loss over segments that remember equals that of one long pass.
BOOST_AUTO_TEST_CASE(segments_with_a_memory_equal_the_whole_text) {
  for (const std::string& attention : kAttentions) {
    LmSettings s = streaming(attention);
    s.context = 48;
    LanguageTask task(s, split_of(kText));
    const NoGrad no_grad;
    Context ctx;
    const auto loss = [&](long from, long T, StackState* state) {
      const TokenBatch bytes = TokenSplit(split_of(kText)).windows_at({from, from + 100}, {0, 0}, T);
      return task.objective().summed_loss(batch_of(bytes), {.state = state}, ctx).item();
    };
    StackState state = task.objective().start(2);
    double parts = 0;
    for (long at = 0; at < 48; at += 8) parts += loss(at, 8, &state);
    BOOST_TEST(parts == loss(0, 48, nullptr), boost::test_tools::tolerance(1e-6));
  }
}

BOOST_AUTO_TEST_CASE(a_training_remembers_what_its_rows_have_read_until_they_begin_again) {
  LmSettings s = streaming("echo");
  const ByteSplit text = split_of(kText);
  const long n = TokenSplit(text).segments(s.batch, s.context);
  BOOST_TEST(n == 25);
  LmTrainer trainer(s, text);
  const auto lengths = [&] {
    std::string all;
    for (const NamedTensor& tensor : trainer.state().streams)
      if (tensor.name.ends_with("length")) all += tensor.name + "=" + std::to_string(long(tensor.value.item())) + " ";
    return all;
  };
  BOOST_TEST(lengths() == "");
  advance(trainer, 2);
  BOOST_TEST(lengths() == "0.0.length=16 0.1.length=16 1.0.length=16 1.1.length=16 ");
  advance(trainer, n - 2);
  BOOST_TEST(lengths().starts_with("0.0.length=200 "));
  trainer.advance();
  BOOST_TEST(lengths().starts_with("0.0.length=8 "));
}

BOOST_AUTO_TEST_CASE(a_training_that_stops_goes_on_to_the_same_bits) {
  for (const std::string& attention : kAttentions)
    for (const char* memory : {"", "recompute", "reversible"}) {
      LmSettings s = streaming(attention);
      s.recompute_blocks = memory == std::string("recompute"), s.reversible = memory == std::string("reversible");
      LmTrainer whole(s, split_of(kText)), before(s, split_of(kText)), after(s, split_of(kText));
      advance(whole, 30);
      advance(before, 17);
      after.restore(copied(before), "a copy");
      advance(after, 13);
      check_same(tensors_of(whole), tensors_of(after), attention + " " + memory);
    }
}

BOOST_AUTO_TEST_CASE(recomputed_blocks_train_to_the_same_bits) {
  for (const std::string& attention : kAttentions) {
    LmSettings s = streaming(attention);
    LmTrainer plain(s, split_of(kText));
    s.recompute_blocks = true;
    LmTrainer again(s, split_of(kText));
    advance(plain, 8), advance(again, 8);
    check_same(tensors_of(plain), tensors_of(again), attention);
  }
}

BOOST_AUTO_TEST_CASE(a_step_that_is_tried_or_watched_or_fails_leaves_the_streams_alone) {
  for (const std::string& attention : kAttentions) {
    const LmSettings s = streaming(attention);
    LmTrainer trainer(s, split_of(kText)), watched(s, split_of(kText));
    advance(trainer, 5);
    for (long step = 1; step <= 5; step++) watched.advance(true);
    check_same(tensors_of(trainer), tensors_of(watched), attention + ", watched");
    const std::vector<Tensor> before = tensors_of(trainer);
    trainer.try_step(6);
    trainer.try_step(40);
    check_same(tensors_of(trainer), before, attention + ", tried");
    const Tensor weight = trainer.model().parameters().back()->value.value(), good = clone(weight);
    fill(weight, NAN);
    BOOST_CHECK_THROW(trainer.advance(), NotFinite);
    copy_into(weight, good);
    check_same(tensors_of(trainer), before, attention + ", failed");
  }
}

BOOST_AUTO_TEST_CASE(a_phase_with_another_batch_begins_its_streams_anew) {
  LmSettings s = streaming("linear");
  s.schedule = "steps=6,context=8,batch=2;steps=6,batch=5";
  s.context = 16;
  LmTrainer whole(s, split_of(kText)), before(s, split_of(kText)), after(s, split_of(kText));
  whole.try_step(12);  // of the other phase
  advance(whole, 9);
  for (const NamedTensor& tensor : whole.state().streams)
    if (tensor.name == "0.rows") BOOST_TEST(tensor.value.item() == 3);
  advance(before, 6);  // the next step is of the second phase
  after.restore(copied(before), "a copy");
  advance(after, 3);
  check_same(tensors_of(whole), tensors_of(after), "phases");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_stream_is_refused) {
  const auto refusal = [](const std::string& attention, const std::string& positions) {
    LmSettings s = streaming(attention);
    s.positions = positions;
    return error_of([&] { LanguageTask(s, split_of(kText)); });
  };
  BOOST_TEST(refusal("full", "none") ==
             "gpt: the attention is 'full', and what it remembers grows with the text; a stream has no end. Use one "
             "that looks back only so far (window, local) or adds up what it has read (linear)");
  BOOST_TEST(refusal("window", "learned") ==
             "gpt: the positions are learned, for 8 tokens; a stream has no end. Use rotary, sinusoid or none");
  LmSettings s = streaming("linear");
  LmTrainer trainer(s, split_of(kText));
  trainer.advance();
  const TrainingState saved = copied(trainer);
  s.micro_batch = 2;
  LmTrainer other(s, split_of(kText));
  BOOST_TEST(error_of([&] { other.restore(saved, "a copy"); }) ==
             "checkpoint: a copy remembers streams of micro-batches of 3, 1 rows, and now there are 2, 2; go on with "
             "the same batch and micro_batch");
  s.batch = 300;
  LmTrainer many(s, split_of(kText));
  BOOST_TEST(error_of([&] { many.advance(); }) ==
             "token_data: the part 'part' has 828 bytes; 300 streams of 8 inputs at a time need 2401. Give more data, "
             "a smaller batch or a shorter context");
}

BOOST_AUTO_TEST_CASE(a_damaged_state_is_an_error) {
  LmTrainer trainer(streaming("echo"), split_of(kText));
  trainer.advance();
  const auto refusal = [&](const std::string& name, const Tensor& value) {
    TrainingState state = copied(trainer);
    state.streams.push_back({name, value});
    return error_of([&] { trainer.restore(state, "a file"); });
  };
  BOOST_TEST(refusal("x.rows", zeros({1}, i64)) == "checkpoint: a file is damaged: it has a state 'x.rows'");
  BOOST_TEST(refusal("0.0", zeros({1}, i64)) == "checkpoint: a file is damaged: it has a state '0'");
  BOOST_TEST(refusal("0.rows", zeros({2}, f32)) ==
             "checkpoint: a file is damaged: its state '0.rows' is (2,) f32, and must be one i64");
  BOOST_TEST(refusal("0.7.length", zeros({1}, i64)).ends_with("they are of another stack"));
}

// ---- kills: this very program trains, in a process of its own

namespace {

void train_in(const std::string& run, const std::string& data) {
  LmSettings s = streaming("echo*1;window:left=5");
  s.data = data, s.steps = 60, s.checkpoint_every = 12, s.context = 16;
  const ByteData bytes = ByteData::open(data);
  LanguageTask task(s, bytes);
  train_run(task, {.run = run, .resume = true, .quiet = true});
}

Words child_words(const std::string& run, const std::string& data) {
  ::setenv("HEED_STREAMS_RUN", run.c_str(), 1);
  ::setenv("HEED_STREAMS_DATA", data.c_str(), 1);
  return {"--run_test=streams_test/a_run_of_its_own"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_of_its_own) {  // for the test below: nothing if it is not called from there
  if (const char* run = std::getenv("HEED_STREAMS_RUN")) train_in(run, std::getenv("HEED_STREAMS_DATA"));
}

BOOST_AUTO_TEST_CASE(a_run_with_streams_and_buffers_killed_at_any_moment_finishes_with_the_same_bits) {
  const Place at;
  const auto begin = std::chrono::steady_clock::now();
  train_in(at.run, at.data);
  const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - begin;
  const char* wanted = std::getenv("HEED_KILLS");
  std::mt19937 random(1);
  long killed = 0;
  for (long i = 0; i < (wanted ? std::strtol(wanted, nullptr, 10) : 3); i++) {
    const std::string run = at.folder / ("killed-" + std::to_string(i));
    Charlm child(at.folder.path.string(), child_words(run, at.data), "", "tests");
    child.wait_until([&] { return !RunFolder(run).metrics().empty(); });
    ::usleep(useconds_t(std::uniform_real_distribution(0.0, whole.count())(random)));
    child.signal(SIGKILL);
    killed += child.wait().code == -SIGKILL;
    train_in(run, at.data);
    BOOST_TEST((read_file(newest_checkpoint(run)) == read_file(newest_checkpoint(at.run))));
  }
  ::unsetenv("HEED_STREAMS_RUN");
  BOOST_TEST(killed > 0);
}

BOOST_AUTO_TEST_SUITE_END()
