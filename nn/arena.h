// The parameter arena: all trained parameters of a model in one flat f32 tensor, and their gradients in another.
// Parameters become views of it and backward adds gradients straight into it, so an optimiser step, clipping, an
// all-reduce and a checkpoint are each one pass over flat memory.
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"

namespace heed {

class ParameterArena {
 public:
  struct Entry {
    std::string path;
    Shape shape;
    long offset;  // of its first number in the flat tensors
    bool decay;
  };

  // Where the model is: Module::move_to comes before. Frozen parameters are left as they are. The packed ones share one
  // storage, so for autograd a write to one of them is a write to all: what is updated during a forward pass (a
  // codebook, a running mean) is not a parameter.
  explicit ParameterArena(Module& model);

  const Tensor& weights() const { return weights_; }      // (size,)
  const Tensor& gradients() const { return gradients_; }  // (size,)
  // The decay group comes first: [0, decay_size) decays, [decay_size, size) does not. Gaps between parameters (they
  // start at multiples of 64 bytes) hold zeros and stay zero.
  long size() const { return weights_.numel(); }
  long decay_size() const { return decay_size_; }
  const std::vector<Entry>& entries() const { return entries_; }

  // The numbers of one parameter in a flat tensor over the arena, as a view.
  static Tensor part(const Tensor& flat, const Entry& entry);

  void zero_gradients();

 private:
  std::vector<Entry> entries_;
  Tensor weights_, gradients_;
  long decay_size_ = 0;
};

}  // namespace heed
