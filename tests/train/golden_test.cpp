// Our training against PyTorch's, step by step: tests/golden/gpt.py wrote what it made of the same model and batches.
#include <cmath>

#include "autograd/ops/cross_entropy.h"
#include "models/gpt.h"
#include "nn/arena.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/norm.h"
#include "tensor/views.h"
#include "train/optimiser.h"
#include "train/safetensors.h"
#include "train/schedule.h"

using namespace heed;

namespace {

constexpr double kAgreement = 1e-4;  // relative; ours is f32, PyTorch's was f64

// A model of gpt.py with the weights written there.
struct Golden {
  Safetensors file;
  Gpt model;
  double beta2;

  Golden(const std::string& name, const std::string& positions, double beta2)
      : file(read_safetensors("tests/golden/" + name)),
        model({.V = 64, .stack = {.C = 32, .heads = 2, .ordering = "sfsf", .max_length = 16}, .positions = positions}),
        beta2(beta2) {
    for (Parameter* p : model.parameters()) p->value.set_value(file.at("weight/" + p->path));
  }
};

template <class F> void for_both(F&& f) {
  Golden learned("gpt.safetensors", "learned", 0.999), rotary("gpt_rotary.safetensors", "rotary", 0.98);
  f(learned), f(rotary);
}

void check_near(double got, double want, const std::string& what) {
  BOOST_TEST(std::abs(got - want) <= kAgreement * std::abs(want), what << ": " << got << ", PyTorch " << want);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(golden_test)

BOOST_AUTO_TEST_CASE(twenty_steps_have_the_losses_and_gradients_of_pytorch) {
  for_both([](Golden& golden) {
    ParameterArena arena(golden.model);
    const auto optimiser = make_optimiser("adamw", arena, {.beta2 = golden.beta2, .weight_decay = 0.1, .clip = 0.5});
    const Schedule schedule("cosine:warmup=5,floor=0.1", {.steps = 20, .rate = 1e-2});
    const Tensor ids = golden.file.at("batches"), losses = golden.file.at("losses");
    Context ctx;
    ctx.train = true;
    for (long step = 0; step < 20; step++) {
      arena.zero_gradients();
      const Tensor batch = cast(select(ids, 0, step), i64);
      const Variable loss =
          cross_entropy(golden.model.forward(slice(batch, 1, 0, 16), ctx), contiguous(slice(batch, 1, 1, 17)));
      loss.backward();
      check_near(loss.item(), losses.at({step}), "loss of step " + std::to_string(step));
      if (step == 0 || step == 19)
        for (Parameter* p : golden.model.parameters())
          check_near(norm(p->value.grad()), golden.file.at("norm/" + p->path).at({step == 0 ? 0 : 1}), p->path);
      optimiser->step(schedule.rate_at(step + 1));
    }
    BOOST_TEST(losses.at({19}) < losses.at({0}) - 0.4);  // there was something to learn
  });
}

BOOST_AUTO_TEST_CASE(the_file_holds_the_weights_of_this_model_and_no_others) {
  for_both([](Golden& golden) {
    size_t weights = 0;
    for (const auto& [name, x] : golden.file.tensors) weights += name.starts_with("weight/");
    BOOST_TEST(weights == golden.model.parameters().size());
  });
}

BOOST_AUTO_TEST_SUITE_END()
