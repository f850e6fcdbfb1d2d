#include "models/picture_model.h"

#include "system/error.h"

namespace heed {

Variable PictureModel::filled(const Tensor&, const Tensor&, const In&, Context&) {
  fail("igpt", "this kind of picture model draws pixel by pixel and fills in none that are hidden; use the model igpt");
}

std::vector<Tensor> PictureModel::features(const Tensor&, Context&) {
  fail("igpt", "this kind of picture model has no features to probe; probe one of the model igpt");
}

}  // namespace heed
