#include "models/sampler.h"

#include <algorithm>
#include <cmath>

#include "system/error.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"

namespace heed {
namespace {

void check(const SampleOptions& o, const TokenModel& model) {
  HEED_CHECK(o.temperature >= 0 && std::isfinite(o.temperature), "sample", "temperature is ", o.temperature,
             "; it must be 0 (the likeliest) or more");
  HEED_CHECK(o.top_k >= 0, "sample", "top_k is ", o.top_k, "; it must be 0 (all) or more");
  HEED_CHECK(o.top_p > 0 && o.top_p <= 1, "sample", "top_p is ", o.top_p, "; it must be above 0 and at most 1");
  HEED_CHECK(o.length >= 0, "sample", "length is ", o.length, "; it must be 0 or more");
  HEED_CHECK(o.first_row >= 0, "sample", "first_row is ", o.first_row, "; rows count from 0");
  HEED_CHECK(o.stop >= -1 && o.stop < model.vocabulary_size(), "sample", "stop is ", o.stop,
             "; it must be an id from 0 to ", model.vocabulary_size() - 1, ", or -1 (none)");
  HEED_CHECK(model.context() >= 2, "sample", "the context is ", model.context(),
             " tokens; a model of at least 2 can go on");
}

void check(const std::vector<Ids>& prompts, const TokenModel& model) {
  HEED_CHECK(!prompts.empty(), "sample", "there is no prompt; give one for each row");
  for (size_t row = 0; row < prompts.size(); row++) {
    const Ids& prompt = prompts[row];
    HEED_CHECK(!prompt.empty() || model.has_start(), "sample", "the prompt of row ", row,
               " is empty; this model goes on from at least one token");
    for (size_t place = 0; place < prompt.size(); place++)
      HEED_CHECK(prompt[place] >= 0 && prompt[place] < model.vocabulary_size(), "sample", "the prompt of row ", row,
                 " has the id ", prompt[place], " at place ", place, "; ids are 0 to ", model.vocabulary_size() - 1);
  }
}

// A number in [0, 1) for every place of every row, the same for the same seed.
double drawn(uint32_t seed, long row, long place) {
  const RandomKey key{.seed = seed, .step = uint32_t(place), .site = site_hash("sample", 0), .sample = uint32_t(row)};
  return uniform({1}, key, 0, 1, f64).item();
}

int64_t chosen(const std::vector<double>& p, double u) {
  size_t last = 0;
  for (size_t i = 0; i < p.size(); i++) {
    if (p[i] == 0) continue;
    last = i;
    if ((u -= p[i]) < 0) break;
  }
  return int64_t(last);
}

struct Row {
  Ids ids;           // what the model sees of it: what it has seen, and what comes next
  long written = 0;  // tokens
  bool ended = false;
};

// The rows of a batch and how much of them the state has seen, which is equally much of all.
class Rows {
 public:
  Rows(TokenModel& model, const std::vector<Ids>& prompts, const SampleOptions& options)
      : model_(model), o_(options), state_(started(model, long(prompts.size()), options)) {
    ctx_.first_sample = uint32_t(o_.first_row);
    for (const Ids& prompt : prompts) {
      const long all = long(prompt.size()), kept = o_.stream ? all : std::min(all, model.context() - 1);
      rows_.push_back({.ids = {prompt.end() - kept, prompt.end()}, .ended = o_.length == 0});
    }
  }

  bool ended() const {
    return std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.ended; });
  }

  // Reads what all rows have ready, and lets those write that have read all of it.
  void advance(const std::function<bool(long row, int64_t id)>& write) {
    if (seen_ + ready() > model_.context()) o_.stream ? forget(seen_) : go_back();
    const std::vector<float> logits = next_logits();
    const size_t V = size_t(model_.vocabulary_size());
    for (size_t r = 0; r < rows_.size(); r++) {
      Row& row = rows_[r];
      if (row.ended || long(row.ids.size()) > seen_) continue;
      const std::vector<double> p = shaped_probabilities(std::span(logits).subspan(r * V, V), o_);
      const int64_t id = chosen(p, drawn(o_.seed, o_.first_row + long(r), row.written));
      row.ids.push_back(id), row.written++;
      row.ended = !write(long(r), id) || id == o_.stop || row.written == o_.length;
    }
  }

 private:
  static StackState started(TokenModel& model, long rows, const SampleOptions& o) {
    return o.stream ? model.start_stream(rows) : model.start(rows, model.context());
  }

  // Tokens that every row has and the state has not seen. A row that has ended waits for nobody, and nobody for it.
  long ready() const {
    size_t shortest = SIZE_MAX;
    for (const Row& row : rows_)
      if (!row.ended) shortest = std::min(shortest, row.ids.size());
    return long(shortest) - seen_;
  }

  // The context is full: the last half of it is read again.
  void go_back() {
    state_.reset();
    seen_ = 0;
    for (Row& row : rows_)
      row.ids.erase(row.ids.begin(), row.ids.end() - std::min(long(row.ids.size()), model_.context() / 2));
  }

  // The first tokens of each row, which the state has seen.
  void forget(long tokens) {
    seen_ -= tokens;
    for (Row& row : rows_) row.ids.erase(row.ids.begin(), row.ids.begin() + std::min(long(row.ids.size()), tokens));
  }

  // Of the token behind what is ready: (B, V)
  std::vector<float> next_logits() {
    const long B = long(rows_.size()), T = ready();
    std::vector<int64_t> ids;
    for (const Row& row : rows_)
      for (long place = seen_; place < seen_ + T; place++)
        ids.push_back(place < long(row.ids.size()) ? row.ids[size_t(place)] : 0);
    const Tensor logits = model_.next_logits(from_vector(ids, {B, T}), ctx_, state_);
    HEED_CHECK(logits.shape() == Shape({B, model_.vocabulary_size()}), "sample", "the logits are ", logits.shape(),
               "; ", B, " rows of ", model_.vocabulary_size(), " tokens were to be told");
    seen_ += T;
    const std::vector<float> read = logits.to_vector<float>();
    if (logits.device() != cpu) finish(logits.device());  // throws if an index made there was out of range
    return read;
  }

  TokenModel& model_;
  const SampleOptions& o_;
  StackState state_;
  Context ctx_;
  std::vector<Row> rows_;
  long seen_ = 0;  // tokens of each row
};

}  // namespace

void sample(TokenModel& model, const std::vector<Ids>& prompts, const SampleOptions& options,
            const std::function<bool(long row, int64_t id)>& write) {
  check(options, model);
  check(prompts, model);
  const NoGrad no_grad;
  for (Rows rows(model, prompts, options); !rows.ended();) rows.advance(write);
}

std::vector<Ids> sampled(TokenModel& model, const std::vector<Ids>& prompts, const SampleOptions& options) {
  std::vector<Ids> rows(prompts.size());
  sample(model, prompts, options, [&](long row, int64_t id) {
    rows[size_t(row)].push_back(id);
    return true;
  });
  return rows;
}

}  // namespace heed
