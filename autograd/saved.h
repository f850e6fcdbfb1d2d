// What an op keeps of the forward pass for its backward: a tensor, or the way to compute it again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tensor/tensor.h"

namespace heed {

class Variable;  // variable.h

// How to compute an op's result a second time, with the same bits.
using Again = std::function<Tensor()>;

// A tensor kept for backward. It remembers the version of its storage and refuses to be used if somebody wrote there
// since: the gradient would be wrong without a word. Under NoGrad it keeps nothing: there will be no backward. Of a
// Variable that is marked by recomputable() it keeps no elements; get() computes them.
class Saved {
 public:
  Saved() {}  // not = default: Saved() would fill it with zeros first
  Saved(const Tensor& x);
  Saved(const Variable& x);
  const Tensor& get() const;  // throws GraphError
  operator const Tensor&() const { return get(); }

 private:
  mutable Tensor x_;
  uint64_t version_ = 0;
  std::shared_ptr<const Again> again_;
};

// y itself, marked: whoever saves it for backward keeps `again` in its place. For the result of an op that is cheap
// next to the memory it fills, such as an activation or a norm. `again` holds, as Saved, only what the op keeps anyway.
Variable recomputable(const Variable& y, Again again);

}  // namespace heed
