// A whole training loop: what must hold of all parts together.
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "nn/arena.h"
#include "nn/linear.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/on_threads.h"
#include "train/adamw.h"

using namespace heed;

namespace {

// Odd sizes throughout: 37 tokens, 53 wide, one head of attention without a mask, and a tied output.
class Small : public Module {
 public:
  Small()
      : table(parameter("table", {37, 53}, init::normal(0.3))),
        qkv(child<Linear>("qkv", 53, 159)),
        up(child<Linear>("up", 53, 101)),
        down(child<Linear>("down", 101, 53)) {}

  Variable forward(const Tensor& ids, Context& ctx) {  // (B, T) -> (B, T, 37)
    Variable x = embedding(table, ids), h = qkv.forward(x, ctx);
    Variable scores = matmul(slice(h, -1, 0, 53), transpose(slice(h, -1, 53, 106))) / 7.0;
    x = x + matmul(softmax(scores), slice(h, -1, 106, 159));
    x = x + down.forward(gelu(up.forward(x, ctx)), ctx);
    return matmul(x, transpose(table));
  }

  Variable& table;
  Linear &qkv, &up, &down;
};

struct Step {
  double loss;
  long driver_calls;
};

std::vector<Step> train(int steps, Tensor* weights) {
  Small model;
  model.initialise(5);
  ParameterArena arena(model);
  AdamW optimiser(arena, {.clip = 1});
  Context ctx;
  ctx.train = true;
  Tensor ids = cast(uniform({11, 29}, {.seed = 1}, 0, 36.99), i64);
  std::vector<Step> log;
  for (int step = 1; step <= steps; step++) {
    ctx.begin(uint32_t(step));
    arena.zero_gradients();
    Variable loss = cross_entropy(model.forward(ids, ctx), ids);
    loss.backward();
    optimiser.step(0.01);
    log.push_back({loss.item(), memory_stats().driver_calls});
  }
  *weights = clone(arena.weights());
  return log;
}

}  // namespace

BOOST_AUTO_TEST_CASE(training_lowers_the_loss_and_allocates_nothing_new_after_its_second_step) {
  Tensor weights;
  auto log = train(12, &weights);
  BOOST_TEST(log.back().loss < 0.5 * log.front().loss);
  for (size_t i = 2; i < log.size(); i++) BOOST_TEST(log[i].driver_calls == log[1].driver_calls);
}

BOOST_AUTO_TEST_CASE(training_gives_the_same_bits_run_after_run_and_for_1_2_and_3_threads) {
  Tensor first;
  on_threads(1, [&] { train(5, &first); });
  for (int count : {1, 2, 3}) {
    Tensor again;
    on_threads(count, [&] { train(5, &again); });
    BOOST_TEST(same_bits(first, again));
  }
}
