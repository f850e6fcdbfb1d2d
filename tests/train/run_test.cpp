// A run of a task that is no language model: a line is fitted, and the score is the more the better. So nothing in
// train/ knows what is learned.
#include "train/run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/attach_loss.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "nn/linear.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/folder.h"
#include "train/checkpoint_files.h"
#include "train/run_folder.h"
#include "train/trainer.h"

using namespace heed;

namespace {

// y = w x + b, with a buffer that counts steps and an attached loss that pulls the weight to 0.
struct Line : Module {
  Linear& fit = child<Linear>("fit", 1, 1);
  Variable& steps = buffer("steps", {1}, init::zeros());

  Variable forward(const Variable& x, Context& ctx) {
    const Variable y = fit.forward(x, ctx);
    if (!ctx.train) return y;
    ctx.at_step_end([this] { fill(steps.value(), steps.value().item() + 1); });
    ctx.report("weight", sum(fit.weight.value()).item());
    return attach_loss(y, sum(fit.weight * fit.weight), 0.1);
  }
};

struct SquaredError : Objective {
  Line line;
  Module& model() override { return line; }
  Variable summed_loss(const Batch& batch, const LossIn&, Context& ctx) override {
    const Variable error = line.forward(batch.inputs, ctx) - Variable(batch.targets);
    return sum(error * error);
  }
};

class LineTask : public Task {
 public:
  explicit LineTask(const TrainSettings& settings) : settings_(settings) {}
  SquaredError squared;

  Objective& objective() override { return squared; }
  const TrainSettings& training() const override { return settings_; }
  const Score& score() const override { return score_; }
  long context() const override { return 1; }
  std::string unit() const override { return "numbers"; }
  // Targets are 3 x - 1; a part is some rows of the whole batch.
  Batch draw(const BatchPart& p) override {
    const Tensor all = normal({16, 1}, {.seed = p.seed, .step = p.step});
    const Tensor x = contiguous(slice(all, 0, p.first, p.first + p.rows));
    return {.inputs = x, .targets = x * 3.0 - 1.0, .counted = p.rows};
  }
  double training_score(double loss, const std::map<std::string, double>&) const override { return -loss; }
  double validate(const Phase&) override {
    Context ctx;
    const NoGrad no_grad;
    return -squared.summed_loss(draw({.seed = 99, .rows = 8}), {}, ctx).item();
  }
  Json settings() const override { return Json::Object{{"data", "a line"}, {"steps", settings_.steps}}; }
  Json known_settings(const Json& given, const std::string&) const override { return given; }
  std::string fingerprint() const override { return "3 x - 1"; }
  std::map<std::string, std::string> strings() const override { return {{"names", std::string("\0\xff y", 4)}}; }
  void add_to_page(Page& page, const RunFolder&) const override { page.section("The line"); }

 private:
  TrainSettings settings_;
  Score score_{.name = "fit", .unit = "minus squared error", .less_is_better = false};
};

TrainSettings settings(long micro_batch = 0) {
  TrainSettings s;
  s.batch = 8, s.micro_batch = micro_batch, s.steps = 30, s.rate = 0.1, s.checkpoint_every = 10, s.weight_decay = 0;
  return s;
}

std::vector<float> weights_of(LineTask& task) {
  return {float(task.squared.line.fit.weight.value().item()), float(task.squared.line.fit.bias().value().item())};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_test)

BOOST_AUTO_TEST_CASE(any_task_runs_logs_saves_and_shows) {
  const Folder folder;
  LineTask task(settings());
  const RunResult result = train_run(task, {.run = folder / "run", .quiet = true});
  BOOST_TEST(result.step == 30);
  const RunFolder run(folder / "run");
  BOOST_TEST(run.curve("step", "fit").size() == 30u);
  BOOST_TEST(run.curve("step", "weight").size() == 30u);  // what the model reported
  BOOST_TEST(run.curve("step", "valid_fit").size() == 3u);
  BOOST_TEST(run.last("valid_fit").value() == result.valid_score);
  BOOST_TEST(final_line(result, task.score()).starts_with("final step=30 train_fit="));
  std::string page = read_file(run.file("index.html"));
  for (const char* part : {"The line", "Minus squared error"})
    BOOST_TEST(page.find(part) != std::string::npos, part << " is not on the page");
}

BOOST_AUTO_TEST_CASE(training_has_one_number_in_metrics_page_and_result) {
  const Folder folder;
  TrainSettings s = settings();
  s.steps = 120, s.checkpoint_every = 50;
  LineTask task(s);
  const RunResult result = train_run(task, {.run = folder / "run", .quiet = true});
  const RunFolder run(folder / "run");
  const auto each = run.curve("step", "fit"), mean = run.curve("step", "train_fit");
  BOOST_REQUIRE(mean.size() == 120u);
  double expected = 0;
  for (size_t i = 0; i < each.size(); i++) {
    expected += (each[i].y - expected) / std::clamp(double(i + 1) / 10, 1.0, 50.0);
    BOOST_TEST(std::abs(mean[i].y - expected) < 1e-12);
  }
  BOOST_TEST(mean.back().y == result.train_score);
  BOOST_TEST(read_file(run.file("index.html"))
                 .find(format("<b>%.3f</b>minus squared error, training (recent steps)<", mean.back().y)) !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(validation_names_its_step) {
  RunResult result{.step = 12, .valid_score = 1.5, .valid_step = 10};
  BOOST_TEST(final_line(result, {}).ends_with(" valid_step=10"));
  BOOST_TEST(final_json(result, {}).at("valid_step").integer() == 10);
  result.valid_step = 12;
  BOOST_TEST(final_line(result, {}).find("valid_step") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_best_checkpoint_goes_by_the_score_and_holds_buffers_and_strings) {
  const Folder folder;
  LineTask task(settings());
  const RunResult result = train_run(task, {.run = folder / "run", .quiet = true});
  const CheckpointFiles files(folder / "run", 2, task.score());
  BOOST_TEST_REQUIRE(files.best().has_value());
  const TrainingState best = read_checkpoint(files.best()->path);
  for (const CheckpointFile& file : files.list())
    BOOST_TEST(read_checkpoint(file.path).numbers.at("valid_fit") <= best.numbers.at("valid_fit"));
  const TrainingState last = read_checkpoint(files.list().back().path);
  BOOST_TEST(last.strings.at("names") == std::string("\0\xff y", 4));
  BOOST_TEST(last.numbers.at("train_fit") == result.train_score);
  for (const NamedTensor& tensor : last.weights)
    if (tensor.name == "steps") BOOST_TEST(tensor.value.item() == 30);  // tried steps do not count
}

BOOST_AUTO_TEST_CASE(a_run_that_stops_goes_on_to_the_same_bits) {
  const Folder folder;
  TrainSettings all = settings(), some = settings();
  some.schedule = all.schedule = "constant:warmup=0";  // or it would follow from the steps
  some.steps = 10;
  LineTask whole(all), first(some), second(all);
  train_run(whole, {.run = folder / "whole", .quiet = true});
  train_run(first, {.run = folder / "parts", .quiet = true});
  const RunResult rest = train_run(second, {.run = folder / "parts", .resume = true, .quiet = true});
  BOOST_TEST(rest.step == 30);
  BOOST_TEST(weights_of(second) == weights_of(whole), boost::test_tools::per_element());
  BOOST_TEST(second.squared.line.steps.value().item() == 30);
}

BOOST_AUTO_TEST_CASE(a_run_may_begin_with_the_weights_of_another_and_not_later) {
  const Folder folder;
  std::vector<std::string> said;
  LineTask first(settings()), second(settings()), third(settings());
  train_run(first, {.run = folder / "first", .quiet = true});
  TrainSettings one_step = settings();
  one_step.steps = 1, one_step.rate = 1e-9;
  LineTask warm(one_step);
  const auto say = [&](const std::string& text) { said.push_back(text); };
  train_run(warm, {.run = folder / "warm", .from = folder / "first", .quiet = true, .say = say});
  BOOST_TEST(said.front().starts_with("3 of 3 tensors are taken from "), said.front());
  for (size_t i = 0; i < 2; i++) BOOST_TEST(std::abs(weights_of(warm)[i] - weights_of(first)[i]) < 1e-6);
  BOOST_TEST(
      error_of(
          [&] { train_run(second, {.run = folder / "warm", .resume = true, .from = folder / "first", .quiet = true}); })
          .ends_with(" has a checkpoint of its own, of step 1; from is for the start of a run. Leave it away, or "
                     "choose another folder with run"));
  BOOST_TEST(error_of([&] {
               train_run(third, {.run = folder / "new", .from = folder / "nowhere", .quiet = true});
             }).starts_with("load: there is no run "));
}

// The attached loss is a mean: its pull is the same however the batch is cut. The end of a step comes for each part.
BOOST_AUTO_TEST_CASE(micro_batches_compute_the_same_with_attached_losses) {
  const auto trained = [](long micro_batch) {
    TrainSettings s = settings(micro_batch);
    s.optimiser = "sgd", s.rate = 0.01, s.schedule = "constant";
    LineTask task(s);
    Trainer trainer(task);
    trainer.try_step(1);  // must leave no trace
    for (int i = 0; i < 3; i++) trainer.advance();
    BOOST_TEST(task.squared.line.steps.value().item() == 3.0 * 8 / double(micro_batch));
    return weights_of(task);
  };
  const std::vector<float> whole = trained(8);
  for (long micro_batch : {1, 2, 4}) {
    const std::vector<float> parts = trained(micro_batch);
    for (size_t i = 0; i < whole.size(); i++) BOOST_TEST(std::abs(parts[i] - whole[i]) < 1e-6);
  }
}

BOOST_AUTO_TEST_SUITE_END()
