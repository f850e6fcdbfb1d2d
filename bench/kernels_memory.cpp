// Work that memory limits: a good kernel is as fast as a copy of the same size. 4 bytes a number, 8 an id.
#include <memory>

#include "autograd/ops/dropout.h"
#include "autograd/ops/embedding.h"
#include "bench/kernels.h"
#include "nn/arena.h"
#include "tensor/copy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "train/adamw.h"

namespace heed::bench {
namespace {

const char* const kTraining = "memory, training";
const char* const kForward = "memory, forward, 4096 x 1024";
constexpr Bar kBar{.ratio = 1, .share = 0.6};
constexpr Bar kInCache{.ratio = 1};  // tensors of 4 MB stay in the last cache, where a copy is four times as fast

Bar bar_for(long numel) { return numel >= 4'000'000 ? kBar : kInCache; }

// forward: x -> y; backward: dy -> dx, the mask is drawn again
Case dropout_case(long T, long C) {
  auto step = std::make_shared<uint32_t>(0);
  const auto forward = [=](auto& v) { return dropout(v[0], 0.1, {.seed = 1, .step = ++*step}); };
  return {.group = kTraining,
          .name = "dropout 0.1, " + times({T, C}) + ", f+b",
          .request = request("dropout", {T, C}),
          .amount = 4.0 * 4 * double(T * C),
          .limit = Limit::copy,
          .bar = bar_for(T * C),
          .make = forward_backward({{T, C}}, forward)};
}

// forward: ids, table -> y; backward: ids, dy -> dtable
Case embedding_case(long T, long V, long C) {
  return {.group = kTraining,
          .name = "embedding " + times({T}) + " of " + times({V, C}) + ", f+b",
          .request = request("embedding", {T, V, C}),
          .amount = 2.0 * (8 * double(T) + 4 * double(V * C) + 4 * double(T * C)),
          .limit = Limit::copy,
          .bar = bar_for(T * C),
          .make = [=] {
            const Tensor ids = random_ids(T, V);
            return forward_backward({{V, C}}, [=](auto& v) { return embedding(v[0], ids); })();
          }};
}

class Flat : public Module {
 public:
  explicit Flat(long n) { parameter("weight", {n}, init::normal(1), true); }
};

// reads w, m, v, g and writes w, m, v; clipping reads g once more
Case adamw_case(long n, bool clip) {
  const auto make = [=]() -> Action {
    auto model = std::make_shared<Flat>(n);
    auto arena = std::make_shared<ParameterArena>(*model);
    copy_into(arena->gradients(), randn({arena->size()}, 1) * 1e-3);
    auto optimiser = std::make_shared<AdamW>(*arena, AdamWOptions{.weight_decay = 0.1, .clip = clip ? 1.0 : 0.0});
    return [=, keep = model] { optimiser->step(1e-6); };
  };
  return {.group = kTraining,
          .name = std::string("AdamW") + (clip ? " with clipping" : "") + ", 3.4 M",
          .request = request("adamw", {n, long(clip)}),
          .amount = 4.0 * (clip ? 8 : 7) * double(n),
          .limit = Limit::copy,
          .bar = kBar,
          .make = make};
}

// One op on x (4096, 1024), forward; passes: tensors of that size that are read or written
Case forward_case(const char* name, const char* verb, double passes, Tensor (*op)(const Tensor& x)) {
  constexpr long T = 4096, C = 1024;
  return {.group = kForward,
          .name = name,
          .request = request(verb, {T, C}),
          .amount = 4 * passes * double(T * C),
          .limit = Limit::copy,
          .make = [=]() -> Action {
            return [op, x = randn({T, C}, 1)] { op(x); };
          }};
}

}  // namespace

std::vector<Case> memory_cases() {
  return {
      dropout_case(4096, 256),
      dropout_case(4096, 1024),
      embedding_case(4096, 256, 256),
      embedding_case(4096, 256, 1024),
      adamw_case(3'400'000, false),
      adamw_case(3'400'000, true),
      forward_case("x + x", "add", 2, [](const Tensor& x) { return add(x, x); }),
      forward_case("exp", "exp", 2, [](const Tensor& x) { return exp(x); }),
      forward_case("tanh", "tanh", 2, [](const Tensor& x) { return tanh(x); }),
      forward_case("gelu", "gelu", 2, [](const Tensor& x) { return gelu(x); }),
      forward_case("sum of rows", "sum_rows", 1, [](const Tensor& x) { return sum(x, {1}); }),
      forward_case("sum of columns", "sum_columns", 1, [](const Tensor& x) { return sum(x, {0}); }),
      forward_case("transposed copy", "transposed_copy", 2, [](const Tensor& x) { return contiguous(transpose(x)); }),
      forward_case("normal numbers", "normal", 1, [](const Tensor& x) { return randn(x.shape(), 1); })};
}

}  // namespace heed::bench
