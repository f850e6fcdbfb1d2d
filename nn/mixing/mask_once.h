// What is made from a mask, once: for all layers of a batch, and for all batches of these sizes if the mask holds no
// tensors. The mask is kept with it, so that no other tensor can come to lie where its own are and look like them.
#pragma once

#include "nn/context.h"
#include "nn/mixing/mask.h"

namespace heed {

std::string identity_of(const Tensor& x);  // equal texts: the same numbers, as long as it lives; "" if it is undefined

// key: all that `make` depends on besides the mask, and marks: another tensor of the batch, if there is one
template <class Value>
std::shared_ptr<const Value> made_once(Context& ctx, const std::string& key, const Mask& mask,
                                       const std::function<Value()>& make, const Tensor& marks = {}) {
  struct Made {
    Mask mask;
    Tensor marks;
    Value value;
  };
  const std::function<Made()> all = [&] { return Made{mask, marks, make()}; };
  const std::string whole = key + " " + mask.identity() + " " + identity_of(marks);
  const bool of_batch = mask.of_batch() || marks.defined();
  const std::shared_ptr<const Made> made = of_batch ? ctx.once<Made>(whole, all) : ctx.plan<Made>(whole, all);
  return {made, &made->value};
}

}  // namespace heed
