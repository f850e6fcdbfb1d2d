// Objective: a model and what it is asked for. A batch goes in, the sum of its losses comes out; where the batch is
// from and what is done with the gradient it does not know. So one trainer serves all of them (train/trainer.h).
#pragma once

#include "models/stack.h"
#include "nn/context.h"

namespace heed {

// What a task draws, and an objective reads; each says what it uses.
struct Batch {
  Tensor inputs{};     // i64 (B, T): token ids
  Tensor targets{};    // i64: (B, T), or (B,) for one answer to the whole
  Tensor segments{};   // i64 (B, T): the document of each token; undefined: every row is one
  Tensor lengths{};    // i64 (B,): what is behind is padding; undefined: there is none
  Tensor labels{};     // i64 (B,): the class of each row, which the model is told; undefined: it is told none
  Tensor positions{};  // i64 (B, T): where each token stands in its text; undefined: token t at t
  Tensor ranges{};     // i64 (B, T, 2): the first and the last token that each sees (Mask::ranges); undefined: all
  Tensor read{};       // i64 (B, Q): the tokens of which there is a target (B, Q), -1 where there is none
  long counted = 0;    // targets that count
  bool fresh = true;   // does every row begin anew? Otherwise it goes on where the row of the batch before ended
};

// What an objective is told besides the batch.
struct LossIn {
  Mask hidden = {};  // what no token may see, for the time being (a phase of the training with short windows)
  StackState* state = nullptr;  // what the model remembers of what these rows have read before; null: nothing
};

class Objective {
 public:
  virtual ~Objective() = default;
  virtual Module& model() = 0;

  // The sum of the losses of all targets that count, in nats; a trainer divides it by how many they are.
  virtual Variable summed_loss(const Batch& batch, const LossIn& in, Context& ctx) = 0;

  // A memory for so many rows that may be read on and on, batch after batch. By default throws a sentence: not every
  // model has one.
  virtual StackState start(long rows);
};

}  // namespace heed
