#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "autograd/finite.h"
#include "system/mapped_files.h"
#include "system/text.h"
#include "tensor/allocator.h"
#include "tensor/create.h"
#include "train/model_tensors.h"

namespace heed {
namespace {

// Drawn, where --device says, and without a gradient what is frozen.
Module& prepared(Module& model, const TrainSettings& s) {
  if (chosen_device() != cpu) model.move_to(chosen_device());
  model.initialise(uint32_t(s.seed));
  if (s.freeze.empty()) return model;
  for (const std::string& path : split(s.freeze, ',')) model.freeze(path);
  const std::vector<Parameter*> all = model.parameters();
  HEED_CHECK(std::any_of(all.begin(), all.end(), [](const Parameter* p) { return p->value.requires_grad(); }), "train",
             "all of the model is frozen by '", s.freeze, "'; leave something to train");
  return model;
}

long tokens_in(const Batch& batch) {
  if (!batch.lengths.defined()) return batch.inputs.numel();
  const std::vector<int64_t> lengths = batch.lengths.to_vector<int64_t>();
  return std::accumulate(lengths.begin(), lengths.end(), 0L);
}

std::string list_of(const std::vector<long>& numbers) {
  std::vector<std::string> texts;
  for (const long number : numbers) texts.push_back(std::to_string(number));
  return joined(texts, ", ");
}

// What belongs to a model and is no tensor (a vocabulary, names of labels) must be what it was trained with.
void check_strings(const std::map<std::string, std::string>& saved, const std::map<std::string, std::string>& own,
                   const std::string& from) {
  for (const auto* both : {&saved, &own})
    for (const auto& [name, string] : *both)
      HEED_CHECK(saved.contains(name) && own.contains(name) && saved.at(name) == own.at(name), "train", from,
                 " was trained with another ", name, " than this task has: what its model has learned does not fit it");
}

}  // namespace

Trainer::Trainer(Task& task) : Trainer(task, single_process(), nullptr) {}
Trainer::Trainer(Task& task, Communicator& ranks) : Trainer(task, nullptr, &ranks) {}

Trainer::Trainer(Task& task, std::unique_ptr<Communicator> alone, Communicator* ranks)
    : task_(task),
      alone_(std::move(alone)),
      ranks_(ranks ? *ranks : *alone_),
      settings_(task.training()),
      schedule_(schedule_of(settings_)),
      arena_(prepared(task.objective().model(), settings_)),
      optimiser_(make_optimiser(settings_.optimiser, arena_, optimiser_options(settings_))),
      streams_(task.objective()) {
  ctx_.seed = uint32_t(settings_.seed);
  ctx_.train = true;
  ctx_.bf16 = settings_.dtype == "bf16";
  HEED_CHECK(ranks_.size() == 1 || !task.streams(), "train", "there are ", ranks_.size(),
             " ranks, and the task has streams; what each rank remembers of its own is in no checkpoint. Train them "
             "with one rank");
  for (const Phase& phase : schedule_.phases())
    HEED_CHECK((phase.batch ? phase.batch : settings_.batch) % ranks_.size() == 0, "train", "the batch is ",
               phase.batch ? phase.batch : settings_.batch, " and there are ", ranks_.size(),
               " ranks; they must divide it");
}

long Trainer::context_at(long step) const { return schedule_.phase_at(step).context_of(task_.context()); }

long Trainer::batch_at(long step) const {
  const Phase& phase = schedule_.phase_at(step);
  return phase.batch ? phase.batch : settings_.batch;
}

std::vector<long> Trainer::rows_at(long step) const {
  std::vector<long> rows;
  const long own = batch_at(step) / ranks_.size(), most = settings_.micro_batch ? settings_.micro_batch : own;
  for (long row = 0; row < own; row += most) rows.push_back(std::min(most, own - row));
  return rows;
}

std::vector<Batch> Trainer::drawn(long step) {
  std::vector<Batch> parts;
  BatchPart part{.seed = ctx_.seed,
                 .step = uint32_t(step),
                 .first = batch_at(step) / ranks_.size() * ranks_.rank(),
                 .context = context_at(step),
                 .batch = batch_at(step),
                 .phase = schedule_.phase_number(step),
                 .past = schedule_.past_of_phase(step)};
  for (const long rows : rows_at(step)) {
    part.rows = rows;
    parts.push_back(task_.draw(part));
    part.first += rows;
  }
  check_files();
  return parts;
}

// Numbers that every rank finds out alone, added up over all of them. If one fails all do: nobody waits for ever.
std::vector<double> Trainer::told(const std::function<std::vector<double>()>& own) {
  if (ranks_.size() == 1) return own();
  std::vector<double> numbers;
  std::exception_ptr error;
  try {
    numbers = own();
  } catch (...) {
    error = std::current_exception();
  }
  const Tensor failed = full({1}, error ? 1 : 0, f64);
  ranks_.allreduce(failed);
  if (error) std::rethrow_exception(error);
  HEED_CHECK(failed.item() == 0, "train", "another rank failed; what it says tells why");
  const Tensor all = from_vector(numbers, {long(numbers.size())});
  ranks_.allreduce(all);
  return all.to_vector<double>();
}

// The whole batch is drawn first: the loss is one mean over all of its targets, whatever part of it a micro-batch has.
double Trainer::accumulate(long step) {
  std::vector<Batch> parts;
  const std::vector<double> counts = told([&] {
    parts = drawn(step);
    double counted = 0, tokens = 0;
    for (const Batch& part : parts) counted += double(part.counted), tokens += double(tokens_in(part));
    return std::vector{counted, tokens};
  });
  const double counted = counts[0];
  tokens_ = long(counts[1]);
  HEED_CHECK(counted > 0, "train", "step ", step,
             " has nothing to predict: ", task_.nothing_to_predict(context_at(step)));
  arena_.zero_gradients();
  ctx_.forget_step_end();
  const double loss = told([&] { return std::vector{passes(step, parts, counted)}; })[0];
  ranks_.allreduce(arena_.gradients());
  return loss;
}

// Forward and backward of all micro-batches: the gradients of this rank, and its part of the loss.
double Trainer::passes(long step, const std::vector<Batch>& parts, double counted) {
  const Phase& phase = schedule_.phase_at(step);
  ctx_.window_scale = phase.windows;
  const Mask hidden = phase.window ? window_mask(phase.window, 0) : Mask();
  double loss = 0;
  long first = batch_at(step) / ranks_.size() * ranks_.rank();
  for (size_t i = 0; i < parts.size(); i++) {
    const long rows = parts[i].inputs.size(0);
    ctx_.begin(uint32_t(step), uint32_t(first));
    StackState* state = task_.streams() ? &streams_.of(i, rows, parts[i].fresh) : nullptr;
    const Variable total = task_.objective().summed_loss(parts[i], {.hidden = hidden, .state = state}, ctx_);
    total.backward(1 / counted, double(parts[i].counted) / counted);
    loss += total.item() / counted;
    first += rows;
  }
  ctx_.forget_decisions();
  if (device() != cpu) finish(device());  // throws if an index made there was out of range
  return loss;
}

Step Trainer::advance(bool look_at_everything) {
  const StreamStates::Saved before = streams_.saved();
  try {
    return advanced(look_at_everything, before);
  } catch (...) {
    streams_.restore(before);
    throw;
  }
}

Step Trainer::advanced(bool look_at_everything, const StreamStates::Saved& before) {
  const long next = step() + 1;
  Step done{.rate = schedule_.rate_at(next)};
  done.loss = look_at_everything ? watched(next, "a result") : accumulate(next);
  done.gradient_norm = optimiser_->gradient_norm();
  const char* bad = !std::isfinite(done.loss)            ? "the loss"
                    : !std::isfinite(done.gradient_norm) ? "the norm of the gradients"
                                                         : nullptr;
  if (bad) {
    streams_.restore(before);
    watched(next, bad);  // once more, looking at every result
    explain(next, bad, "every op made finite numbers, and their sum is too large");
  }
  done.tokens = tokens_;
  optimiser_->step(done.rate, done.gradient_norm);
  ctx_.end_step(ranks_.size() > 1 ? [&](const Tensor& sum) { ranks_.allreduce(sum); }
                                  : std::function<void(const Tensor&)>());
  done.metrics = ctx_.metrics();
  if (ranks_.size() > 1) agree(done);
  return done;
}

// Metrics of all ranks in place of one's own.
void Trainer::agree(Step& done) {
  const std::vector<double> all = told([&] {
    std::vector<double> numbers;
    for (const auto& [name, report] : ctx_.reports()) numbers.insert(numbers.end(), {report.sum, report.count});
    return numbers;
  });
  size_t i = 0;
  for (auto& [name, mean] : done.metrics) mean = all[2 * i] / all[2 * i + 1], i++;
}

double Trainer::watched(long step, const char* what) {
  try {
    const CheckFinite checking;
    return accumulate(step);
  } catch (const NotFinite& found) {
    explain(step, what, found.what());
  }
}

void Trainer::explain(long step, const char* what, const std::string& where) const {
  fail<NotFinite>("train", what, " of step ", step, " is not finite: ", where, ". The learning rate is ",
                  schedule_.rate_at(step),
                  ": go on from the last checkpoint with a lower one, or with a longer warm-up");
}

Needs Trainer::try_step(long step) {
  const StreamStates::Saved before = streams_.saved();
  if (task_.streams()) accumulate(step);  // a second one has something to remember
  reset_peak(device());
  const auto begin = std::chrono::steady_clock::now();
  accumulate(step);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  streams_.restore(before);
  return {memory_stats(device()).peak, took.count()};
}

TrainingState Trainer::state() {
  Json settings = task_.settings();
  settings["data"] = "";
  TrainingState state{.step = step(),
                      .settings = settings.dump(),
                      .strings = task_.strings(),
                      .weights = model_tensors(model()),
                      .streams = to_tensors(streams_.saved())};
  for (const auto& [name, flat] : optimiser_->state())
    for (NamedTensor& part : split_flat(arena_, flat, name + ".")) state.optimiser.push_back(std::move(part));
  return state;
}

void Trainer::check_weights() const {
  if (!all_finite(arena_.weights()))
    fail<NotFinite>("train", "the weights of step ", step(),
                    " are not finite: they are not saved. Go on from the last checkpoint with a lower rate");
}

void Trainer::restore(const TrainingState& state, const std::string& from) {
  check_strings(state.strings, task_.strings(), from);
  load_model(model(), state.weights, from);
  for (const auto& [name, flat] : optimiser_->state()) join_flat(arena_, flat, state.optimiser, name + ".", from);
  if (task_.streams()) restore_streams(streams_from(state.streams, from, device()), state.step, from);
  optimiser_->set_steps(state.step);
}

// A run that had no streams before begins with an empty memory, wherever the streams are.
void Trainer::restore_streams(const StreamStates::Saved& saved, long step, const std::string& from) {
  std::vector<long> had;
  for (const StreamStates::Part& part : saved) had.push_back(part.rows);
  const std::vector<long> rows = rows_at(step);
  HEED_CHECK(had.empty() || had == rows, "checkpoint", from, " remembers streams of micro-batches of ", list_of(had),
             " rows, and now there are ", list_of(rows), "; go on with the same batch and micro_batch");
  streams_.restore(saved);
}

Needs needs_of_rest(Trainer& trainer) {
  trainer.try_step(trainer.step() + 1);  // the first one also fills the allocator
  Needs all;
  long end = 0;
  for (const Phase& phase : trainer.schedule().phases()) {
    end += phase.steps;
    const long left = end - std::max(trainer.step(), end - phase.steps);
    if (left <= 0) continue;
    const Needs one = trainer.try_step(end);
    all.bytes = std::max(all.bytes, one.bytes);
    all.seconds += one.seconds * double(left);
  }
  return all;
}

long steps_within(double seconds, Task& task) {
  constexpr int kTries = 5;
  constexpr double kPatience = 3;  // seconds
  Trainer trainer(task);
  trainer.try_step(1);  // fills the allocator
  double best = INFINITY, used = 0;
  for (int i = 0; i < kTries && used < kPatience; i++) {
    const double took = trainer.try_step(1).seconds;
    best = std::min(best, took);
    used += took;
  }
  return std::clamp(std::lround(std::min(seconds / best, 1e9)), 1L, 1000000000L);
}

}  // namespace heed
