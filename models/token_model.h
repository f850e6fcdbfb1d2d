// TokenModel: a model that writes token by token, as the sampler (models/sampler.h) sees it. A language model is one,
// and so is whatever else tells how likely each token is behind those before it.
#pragma once

#include "models/stack.h"

namespace heed {

class TokenModel {
 public:
  virtual ~TokenModel() = default;

  virtual long vocabulary_size() const = 0;  // V: the ids of tokens are 0 to V - 1
  virtual long context() const = 0;          // tokens that it sees at once
  // Can it tell the first token, with none before it? A model that begins with a vector of its own can.
  virtual bool has_start() const { return false; }

  virtual StackState start(long batch, long max_length) = 0;  // which has seen nothing
  // The same for a text without an end. By default throws a sentence: not every model has such a memory.
  virtual StackState start_stream(long batch);
  // ids (B, T), the tokens behind those that the state has seen -> logits (B, V) of the token behind them. T is 0 only
  // at the start, and only if it has one.
  virtual Tensor next_logits(const Tensor& ids, Context& ctx, StackState& state) = 0;
};

}  // namespace heed
