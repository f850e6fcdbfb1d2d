// What is made from a mask, once: for all layers of a batch, and for all batches of these sizes if the mask holds no
// tensors. The mask is kept with it, so that no other tensor can come to lie where its own are and look like them.
#pragma once

#include "nn/context.h"
#include "nn/mixing/mask.h"

namespace heed {

// key: all that `make` depends on besides the mask
template <class Value>
std::shared_ptr<const Value> made_once(Context& ctx, const std::string& key, const Mask& mask,
                                       const std::function<Value()>& make) {
  struct Made {
    Mask mask;
    Value value;
  };
  const std::function<Made()> both = [&] { return Made{mask, make()}; };
  const std::string whole = key + " " + mask.identity();
  const std::shared_ptr<const Made> made = mask.of_batch() ? ctx.once<Made>(whole, both) : ctx.plan<Made>(whole, both);
  return {made, &made->value};
}

}  // namespace heed
