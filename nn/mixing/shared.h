// Shared: parameters that all layers of a stack have in common, such as Linformer's projections or the u and v of
// Transformer-XL. A mixer asks for one by name; the first that asks makes it, the others get the same Variable:
//
//   Variable& u = options.shared ? options.shared->get("u", {H, D}, init::zeros()) : parameter("u", ...);
#pragma once

#include "nn/module.h"

namespace heed {

class Shared : public Module {
 public:
  // Throws if an earlier layer has made it with another shape: what is shared has one.
  Variable& get(const std::string& name, const Shape& shape, const Init& init);
};

}  // namespace heed
