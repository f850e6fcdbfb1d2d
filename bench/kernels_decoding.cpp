// What one token does between two attentions when text is generated: the work is small, and what is measured is how
// little stands around it. The product's operations are counted, norm and GELU are not.
#include "autograd/ops/elementwise.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/matmul.h"
#include "bench/kernels.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

Case decode(long rows, long width) {
  const auto make = [=]() -> Action {
    const Variable x = randn({rows, width}, 1), w = randn({width, width}, 2) / 16, b = randn({width}, 3);
    const Variable g = ones({width}), c = zeros({width});
    return [=] {
      const NoGrad no_grad;
      gelu(layer_norm(linear(x, w, b), g, c));
    };
  };
  return {.group = "decoding: linear, norm, GELU, no gradient",
          .name = std::to_string(rows) + (rows == 1 ? " row of " : " rows of ") + std::to_string(width),
          .request = request("decode", {rows, width}),
          .amount = 2.0 * double(rows * width * width),
          .bar = {.ratio = 3},
          .make = make};
}

}  // namespace

std::vector<Case> decoding_cases() {
  std::vector<Case> cases;
  for (const long rows : {1, 2, 4, 8, 16, 32}) cases.push_back(decode(rows, 256));
  return cases;
}

}  // namespace heed::bench
