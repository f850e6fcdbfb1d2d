#include "bench/layer.h"

#include "tensor/random.h"

namespace heed::bench {
namespace {

Variable run(Mixer& mixer, const Variable& x, bool causal, Context& ctx) {
  const MixIn in{.mask = {.causal = causal}};
  return mixer.narrow(mixer.forward(mixer.widen(x, in, ctx), in, ctx), x.size(1), in, ctx);
}

}  // namespace

LayerWork layer_work(const std::shared_ptr<Mixer>& mixer, const Tensor& x, bool causal) {
  const Tensor dy = randn(x.shape(), 2);
  const Action forward = [=] {
    const NoGrad no_grad;
    Context ctx;
    run(*mixer, x, causal, ctx);
  };
  const Action both = [=] {
    Context ctx;
    mixer->zero_grad();
    run(*mixer, Variable::leaf(x), causal, ctx).backward(dy);
    mixer->zero_grad();
  };
  return {forward, both};
}

}  // namespace heed::bench
