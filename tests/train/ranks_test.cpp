// Several ranks that train one model: they compute what one rank computes.
#include <thread>

#include "autograd/finite.h"
#include "comm/communicator.h"
#include "tasks/language/language_task.h"
#include "tensor/copy.h"
#include "tests/support/compare.h"
#include "tests/support/echo_mixer.h"
#include "tests/support/error_of.h"
#include "tests/support/tiny_lm.h"
#include "train/trainer.h"

using namespace heed;

namespace {

const std::vector<std::string> kText = {tiny_text()};

LmSettings settings() {
  LmSettings s = tiny_lm();
  s.attention = "echo*1;full", s.layers = 2, s.positions = "none", s.dropout = 0.2, s.batch = 6;
  return s;
}

struct Result {
  std::vector<Tensor> tensors = {};
  std::vector<Step> steps = {};
  std::string error = {};
};

Result trained(const LmSettings& s, Communicator& rank, long steps) {
  Result result;
  LanguageTask task(s, split_of(kText));
  Trainer trainer(task, rank);
  trainer.try_step(1);
  for (long i = 0; i < steps; i++) result.steps.push_back(trainer.advance());
  const TrainingState state = trainer.state();
  for (const auto* part : {&state.weights, &state.optimiser})
    for (const NamedTensor& tensor : *part) result.tensors.push_back(clone(tensor.value));
  return result;
}

// What f returns on each of so many ranks, each a thread.
template <class F> std::vector<Result> on_ranks(int size, F&& f) {
  auto ranks = ranks_in_process(size);
  std::vector<Result> results{size_t(size)};
  std::vector<std::thread> threads;
  for (int r = 0; r < size; r++)
    threads.emplace_back([&, r] {
      try {
        results[size_t(r)] = f(*ranks[size_t(r)]);
      } catch (const Error& error) {
        results[size_t(r)].error = error.what();
        ranks[size_t(r)].reset();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(ranks_test, WithEcho)

BOOST_AUTO_TEST_CASE(any_number_of_ranks_computes_what_one_computes_and_all_have_the_same_bits) {
  LmSettings s = settings();
  s.optimiser = "sgd", s.weight_decay = 0;
  const Result alone = trained(s, *single_process(), 6);
  for (int size : {2, 3, 6})
    for (long micro_batch : {0, 1}) {
      s.micro_batch = micro_batch;
      const std::vector<Result> all = on_ranks(size, [&](Communicator& rank) { return trained(s, rank, 6); });
      for (const Result& each : all) {
        BOOST_TEST_REQUIRE(each.error == "");
        for (size_t i = 0; i < alone.steps.size(); i++) {  // only the order of sums differs
          BOOST_TEST(each.steps[i].loss == alone.steps[i].loss, boost::test_tools::tolerance(1e-6));
          BOOST_TEST(each.steps[i].tokens == alone.steps[i].tokens);
          BOOST_TEST(each.steps[i].gradient_norm == alone.steps[i].gradient_norm, boost::test_tools::tolerance(1e-5));
          BOOST_TEST(each.steps[i].gradient_norm == all[0].steps[i].gradient_norm);
          BOOST_TEST(each.steps[i].metrics.at("echo") == alone.steps[i].metrics.at("echo"),
                     boost::test_tools::tolerance(1e-6));
        }
        for (size_t i = 0; i < alone.tensors.size(); i++) {
          check_close(each.tensors[i], alone.tensors[i], 1e-5);
          BOOST_TEST(same_bits(each.tensors[i], all[0].tensors[i]));
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(if_one_rank_fails_all_do) {
  const std::vector<Result> both = on_ranks(2, [&](Communicator& rank) -> Result {
    LanguageTask task(settings(), split_of(kText));
    Trainer trainer(task, rank);
    trainer.advance();
    if (rank.rank() == 1) fill(trainer.model().parameters().back()->value.value(), NAN);
    trainer.advance();
    return {};
  });
  BOOST_TEST(both[0].error == "train: another rank failed; what it says tells why");
  BOOST_TEST(both[1].error.starts_with("train: the loss of step 2 is not finite: "), both[1].error);
}

BOOST_AUTO_TEST_CASE(what_ranks_cannot_do_is_refused) {
  LmSettings s = settings();
  s.batch = 5;
  const auto ranks = ranks_in_process(2);
  LanguageTask odd(s, split_of(kText));
  BOOST_TEST(error_of([&] { Trainer(odd, *ranks[0]); }) ==
             "train: the batch is 5 and there are 2 ranks; they must divide it");
  s.attention = "echo", s.streams = true, s.batch = 4;
  LanguageTask streams(s, split_of(kText));
  BOOST_TEST(error_of([&] { Trainer(streams, *ranks[0]); }) ==
             "train: there are 2 ranks, and the task has streams; what each rank remembers of its own is in no "
             "checkpoint. Train them with one rank");
}

BOOST_AUTO_TEST_SUITE_END()
