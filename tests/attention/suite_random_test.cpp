// Properties of the property suite: what is drawn is drawn again, and dropout is for training only.
#include "tensor/copy.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

struct Draw {
  bool train = false;
  uint32_t seed = 0, step = 0, first_sample = 0;
};

Tensor drawn(Mixer& mixer, const Tensor& x, const Draw& draw) {
  const NoGrad no_grad;
  Context ctx;
  ctx.train = draw.train, ctx.seed = draw.seed;
  ctx.begin(draw.step, draw.first_sample);
  return run(mixer, x, {}, ctx).value();
}

// A pattern or a feature that is drawn at random belongs to the model: it hangs on the path of the mixer, or on its
// parameters. Training has another seed than evaluation and sampling, and must not see another pattern.
const RegisteredProperty again{{.name = "training_evaluation_and_a_mixer_made_again_give_the_same",
                                .check = [](const Trial& trial, Findings& found) {
                                  const auto mixer = trial.mixer(), twin = trial.mixer();
                                  const Tensor x = trial.x(2, 40), y = drawn(*mixer, x, {});
                                  found.same("once more", drawn(*mixer, x, {}), y);
                                  found.same("in training", drawn(*mixer, x, {.train = true, .seed = 7, .step = 3}), y);
                                  found.same("made again", drawn(*twin, x, {}), y);
                                  found.close("samples behind others", drawn(*mixer, sample(x, 1), {.first_sample = 1}),
                                              sample(y, 1), kExact);
                                }}};

const RegisteredProperty dropout{
    {.name = "dropout_is_drawn_by_seed_step_and_sample_and_only_in_training",
     .check = [](const Trial& trial, Findings& found) {
       MixerOptions sizes = trial.sizes;
       sizes.dropout = 0.5;
       const auto mixer = trial.mixer(f64, sizes), plain = trial.mixer();
       const Tensor x = trial.x(2, 40), y = drawn(*mixer, x, {.train = true, .seed = 1, .step = 1});
       found.same("in evaluation", drawn(*mixer, x, {.seed = 1, .step = 1}), drawn(*plain, x, {}));
       found.same("the same seed and step", drawn(*mixer, x, {.train = true, .seed = 1, .step = 1}), y);
       // micro-batches draw the same
       found.close("a sample on its own",
                   drawn(*mixer, sample(x, 1), {.train = true, .seed = 1, .step = 1, .first_sample = 1}), sample(y, 1),
                   kExact);
       if (!trial.can.drops) {
         found.same("without weights that could be dropped", y, drawn(*plain, x, {}));
         return;
       }
       found.check(!same_bits(drawn(*mixer, x, {.train = true, .seed = 2, .step = 1}), y),
                   "another seed draws the same");
       found.check(!same_bits(drawn(*mixer, x, {.train = true, .seed = 1, .step = 2}), y),
                   "another step draws the same");
     }}};

}  // namespace
