// Recomputing, in papers gradient checkpointing: forget what happened inside of a block and compute it again in
// backward. Costs one more forward, saves the memory of everything the block would have kept. Gradients are bit-equal
// to the plain run.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// Takes the world back to the moment at which it was made (use numbers of random sites, decisions); the returned
// guard puts the present back when it is destroyed. Context::mark() gives one.
using Rewind = std::function<std::shared_ptr<void>()>;

// fn(inputs). fn must be a pure function of its inputs, of parameters and of what `rewind` brings back; a block that
// draws or decides nothing may pass nullptr. Backward refuses if an input or a parameter was changed in between.
using Block = std::function<Variable(const std::vector<Variable>& inputs)>;
Variable recompute(Block fn, const std::vector<Variable>& inputs, Rewind rewind);

// A block with several results.
using BlockMany = std::function<std::vector<Variable>(const std::vector<Variable>& inputs)>;
std::vector<Variable> recompute_many(BlockMany fn, const std::vector<Variable>& inputs, Rewind rewind);

}  // namespace heed
