// A program outside heed's tree: learns the line y = 3x + 0.5 from noisy points.
#include <heed.h>

#include <cstdio>

using namespace heed;

int main() {
  Tensor x = uniform({256, 1}, {.seed = 1}, -1, 1);
  Tensor y = x * 3.0 + 0.5 + normal({256, 1}, {.seed = 2}, 0, 0.1);

  Linear model(1, 1);
  ParameterArena arena(model);
  AdamW optimiser(arena, {.weight_decay = 0});
  Context ctx;
  for (int step = 1; step <= 300; step++) {
    arena.zero_gradients();
    Variable error = model.forward(x, ctx) - y;
    Variable loss = mean(error * error);
    loss.backward();
    optimiser.step(0.05);
    if (step % 100 == 0) std::printf("step %d  loss %.4f\n", step, loss.item());
  }

  double slope = model.weight.value().item(), offset = model.bias().value().item();
  std::printf("heed %s learned y = %.2f x + %.2f\n", version(), slope, offset);
  return slope > 2.9 && slope < 3.1 && offset > 0.4 && offset < 0.6 ? 0 : 1;
}
