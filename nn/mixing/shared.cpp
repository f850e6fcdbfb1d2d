#include "nn/mixing/shared.h"

namespace heed {

Variable& Shared::get(const std::string& name, const Shape& shape, const Init& init) {
  for (Parameter* known : parameters()) {
    if (known->path.substr(known->path.rfind('.') + 1) != name) continue;
    HEED_CHECK(known->value.shape() == shape, "shared", "'", known->path, "' is ", known->value.shape(),
               " in an earlier layer, and a later one wants ", shape, "; what layers share has one shape");
    return known->value;
  }
  return parameter(name, shape, init);
}

}  // namespace heed
