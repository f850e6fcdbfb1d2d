// Sampling: a model writes on, token by token; B rows at once, each behind a prompt of its own.
//
//   sample(model, {prompt, other}, {.length = 200}, [](long row, int64_t id) { return id != end; });
//   const std::vector<Ids> rows = sampled(model, {prompt, other}, {.length = 200});
//
// How a token is drawn: logits / temperature become probabilities; top_k keeps the k likeliest; top_p then keeps the
// fewest likeliest that have at least this much probability together (Holtzman et al., 2019); one of those is drawn.
// What a row draws depends on the seed, its number and the place only: a row writes the same among any others.
//
// All rows are one batch, and their states one StackState, of whatever kind. So they advance together, token by token
// from the first one: a row whose prompt is shorter writes already while the others still read theirs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/token_model.h"

namespace heed {

using Ids = std::vector<int64_t>;  // the tokens of a row

struct SampleOptions {
  long length = 500;       // tokens that each row writes, at most
  double temperature = 1;  // 0: always the likeliest
  long top_k = 0;          // 0: all
  double top_p = 1;
  uint32_t seed = 1;
  long first_row = 0;   // the number of the first row: many rows may be sampled in several calls
  bool stream = false;  // the model remembers on and on (TokenModel::start_stream), and never reads anything again
  int64_t stop = -1;    // a row that draws this token ends with it; -1: none does
};

// The probabilities from which a token is drawn. They sum to 1.
std::vector<double> shaped_probabilities(std::span<const float> logits, const SampleOptions& options);

// Calls `write` with each token as soon as it is drawn: place by place, and the rows of a place in order. Where it
// returns false the row ends; when all rows have ended, so does sampling. The model sees its context: of a prompt that
// fills it the last context - 1 tokens, and when it is full, it reads the last half of it again and goes on.
void sample(TokenModel& model, const std::vector<Ids>& prompts, const SampleOptions& options,
            const std::function<bool(long row, int64_t id)>& write);
std::vector<Ids> sampled(TokenModel& model, const std::vector<Ids>& prompts, const SampleOptions& options);

}  // namespace heed
