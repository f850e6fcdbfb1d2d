// `build/bench pictures`: a picture model (models/igpt.h) draws pictures of 14 x 14 pixels in 16 colours: one with a
// cache against reading all pixels again for each new one, and many at once, as `igpt sample` does.
#include "bench/harness.h"
#include "models/igpt.h"
#include "models/sampler.h"
#include "tensor/create.h"

namespace heed::bench {
namespace {

constexpr long kSide = 14, kPixels = kSide * kSide, kColours = 16, kLayers = 4, kWidth = 256, kAtOnce = 128;

constexpr double kWeights = 12.0 * kLayers * kWidth * kWidth + kColours * kWidth;  // of products, for each pixel

std::shared_ptr<Igpt> model() {
  return std::make_shared<Igpt>(IgptOptions{.colours = kColours,
                                            .rows = kSide,
                                            .columns = kSide,
                                            .stack = {.C = kWidth, .heads = 4, .ordering = repeated("sf", kLayers)}});
}

// A picture whose every pixel is predicted from all before it, which are read again.
void recomputed(Igpt& model) {
  const NoGrad no_grad;
  for (long t = 0; t < kPixels; t++) {
    Context ctx;
    StackState state = model.start(1, kPixels);
    model.next_logits(zeros({1, t}, i64), ctx, state);
  }
}

std::vector<Case> cases() {
  Case cached{.group = "a picture of 14 x 14, 4 layers of width 256", .name = "with a cache, against reading again"};
  cached.bar = {.ratio = 10};
  cached.amount = 4 * kWeights * kPixels, cached.limit = Limit::read;
  cached.make = [] { return [m = model()] { sampled(*m, {{}}, {.length = kPixels}); }; };
  cached.against = [] { return [m = model()] { recomputed(*m); }; };
  Case many{.group = "pictures of 14 x 14, 4 layers of width 256", .name = "128 at once"};
  many.amount = 2 * kWeights * kPixels * kAtOnce, many.limit = Limit::product;
  many.make = [] { return [m = model()] { sampled(*m, std::vector<Ids>(kAtOnce), {.length = kPixels}); }; };
  many.remark = [] { return std::string("1,000 pictures take 7.8 times as long"); };
  return {cached, many};
}

const RegisteredBenchmark pictures{{"pictures", "A picture model draws, with a cache and without.", cases, run_cases}};

}  // namespace
}  // namespace heed::bench
