#include "models/picture_model.h"

#include "system/error.h"

namespace heed {

Variable PictureModel::filled(const Tensor&, const Tensor&, const In&, Context&) {
  fail("igpt", "this kind of picture model draws pixel by pixel and fills in none that are hidden; use the model igpt");
}

std::vector<Tensor> PictureModel::features(const Tensor&, Context&) {
  fail("igpt", "this kind of picture model has no features to probe; probe one of the model igpt");
}

void check_sizes(const char* op, const PictureSizes& o) {
  HEED_CHECK(o.colours >= 1 && o.rows >= 1 && o.columns >= 1 && o.rows * o.columns >= 2 && o.classes >= 0, op,
             "there are ", o.colours, " colours, ", o.rows, " x ", o.columns, " pixels and ", o.classes,
             " classes; a colour and two pixels are the least");
}

void check_labels(const char* op, const Tensor& labels, long classes, long B) {
  HEED_CHECK(labels.defined() && labels.shape() == Shape({B}), op,
             "this model is told the class of each picture, 0 to ", classes - 1, "; labels must be (", B, ",) and are ",
             labels.defined() ? labels.shape().str() : "not given");
}

}  // namespace heed
