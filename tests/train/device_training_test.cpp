// Training, sampling and checkpoints on a device whose memory the host cannot touch (tests/support/guarded_device.h):
// to the same bits as on the cpu, whose kernels it uses.
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "models/axial_transformer.h"
#include "models/classifier.h"
#include "models/encoder_decoder.h"
#include "models/igpt.h"
#include "models/objectives/masked_pixels.h"
#include "models/objectives/next_pixel.h"
#include "models/sampler.h"
#include "nn/arena.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/text_sampler.h"
#include "tensor/create.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "tests/support/guarded_device.h"
#include "tests/support/lm_on_device.h"
#include "train/model_tensors.h"

using namespace heed;

namespace {

constexpr Device kThere = GuardedDevice::device;
const std::vector<std::string> kText = {tiny_text(), tiny_text(20)};

struct Training : LmOnDevice {
  Training(const LmSettings& s, Device device) : LmOnDevice(s, kText, device) {}
};

void check_same(const std::vector<NamedTensor>& got, const std::vector<NamedTensor>& want) {
  BOOST_REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); i++) BOOST_TEST(same_bits(to(got[i].value, cpu), want[i].value), want[i].name);
}

void check_same(const TrainingState& got, const TrainingState& want) {
  BOOST_TEST(got.step == want.step);
  check_same(got.weights, want.weights);
  check_same(got.optimiser, want.optimiser);
  check_same(got.streams, want.streams);
}

LmSettings settings(const std::string& attention = "full") {
  LmSettings s = tiny_lm();
  s.attention = attention, s.layers = 2, s.dropout = 0.1, s.positions = "learned";
  return s;
}

// Gradients of all parameters of a model after loss() on it, by path
std::vector<NamedTensor> gradients(Module& model, const std::function<Variable()>& loss) {
  model.zero_grad();
  loss().backward();
  std::vector<NamedTensor> all;
  for (const Parameter* p : model.parameters())
    if (p->value.grad().defined()) all.push_back({p->path, clone(p->value.grad())});
  return all;
}

template <class Model, class Options> void check_model(const Options& options, FunctionRef<Variable(Model&)> loss) {
  GuardedDevice guarded;
  Model here(options), there(options);
  here.initialise(3), there.initialise(3);
  there.move_to(kThere);
  check_same(gradients(there, [&] { return loss(there); }), gradients(here, [&] { return loss(here); }));
  finish(kThere);
  BOOST_TEST(guarded.host_pointers() == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_training_test)

BOOST_AUTO_TEST_CASE(a_language_model_trains_and_writes_the_same_bits_there) {
  GuardedDevice guarded;
  for (const char* attention : {"full", "window:left=6;linear", "local:block=4*2"}) {
    Training here(settings(attention), cpu), there(settings(attention), kThere);
    BOOST_TEST(there.trainer.device() == kThere);
    for (int i = 0; i < 20; i++) {
      const Step want = here.trainer.advance(), got = there.trainer.advance();
      BOOST_TEST(got.loss == want.loss);
      BOOST_TEST(got.gradient_norm == want.gradient_norm);
    }
    check_same(there.trainer.state(), here.trainer.state());
    const SampleOptions o{.length = 60, .temperature = 0.8};  // beyond the context
    BOOST_TEST(sampled_text(there.task.model(), there.task.vocabulary(), "line 1", o) ==
               sampled_text(here.task.model(), here.task.vocabulary(), "line 1", o));
    BOOST_TEST(bits_per_byte(there.task.model(), split_of(kText), {.batch = 3}).bpc ==
               bits_per_byte(here.task.model(), split_of(kText), {.batch = 3}).bpc);
  }
  BOOST_TEST(guarded.launches() > 1000);
  BOOST_TEST(guarded.host_pointers() == "");
}

BOOST_AUTO_TEST_CASE(a_step_reads_the_loss_and_the_norm_and_uploads_inputs_and_targets) {
  const GuardedDevice guarded;
  for (const auto& [attention, layers] : {std::pair{"full", 1L},
                                          {"full", 3L},
                                          {"full:bias=t5", 3L},
                                          {"linear", 2L},
                                          {"window:left=3,right=0,dilation=2,bias=alibi", 3L}}) {
    LmSettings s = settings(attention);
    s.layers = layers, s.data = "one";
    LanguageTask task(s, split_of({kText[0]}));  // one document: there are no segments
    Trainer trainer(Training::moved(task, kThere));
    trainer.advance();
    const CopyCounts before = copy_counts();
    trainer.advance();
    BOOST_TEST(copy_counts().to_host - before.to_host == 2, attention);
    BOOST_TEST(copy_counts().from_host - before.from_host == 2, attention);
  }
}

BOOST_AUTO_TEST_CASE(writing_a_byte_brings_its_id_there_and_the_logits_back) {
  const GuardedDevice guarded;
  Training there(settings(), kThere);
  const NoGrad no_grad;
  Context ctx;
  StackState state = there.task.model().start(1, 16);
  there.task.model().next_logits(from_vector(std::vector<int64_t>{65, 66}, {1, 2}), ctx, state);
  for (int64_t id : {67, 68, 69}) {
    const CopyCounts before = copy_counts();
    there.task.model().next_logits(from_vector(std::vector<int64_t>{id}, {1, 1}), ctx, state).to_vector<float>();
    BOOST_TEST(copy_counts().to_host - before.to_host == 1);
    BOOST_TEST(copy_counts().from_host - before.from_host == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_at_another_device) {
  GuardedDevice guarded;
  LmSettings s = settings("linear");
  s.streams = true, s.positions = "none";
  Training here(s, cpu), there(s, kThere), again(s, cpu);
  for (int i = 0; i < 3; i++) here.trainer.advance();
  there.trainer.restore(here.trainer.state(), "a file");
  for (int i = 0; i < 3; i++) here.trainer.advance(), there.trainer.advance();
  check_same(there.trainer.state(), here.trainer.state());
  TrainingState state = there.trainer.state();
  for (auto* list : {&state.weights, &state.optimiser, &state.streams})
    for (NamedTensor& each : *list) each.value = to(each.value, cpu);  // as a file does
  again.trainer.restore(state, "a file");
  again.trainer.advance(), here.trainer.advance();
  check_same(again.trainer.state(), here.trainer.state());
}

BOOST_AUTO_TEST_CASE(a_classifier_and_two_towers_have_the_same_gradients_there) {
  const Tensor ids = some_ids(3, 12), lengths = tensor({12, 5, 1}, i64), targets = tensor({0, 2, 1}, i64);
  for (const char* pool : {"mean", "cls"}) {
    const ClassifierOptions o{.V = 11, .classes = 3, .stack = small(), .pool = pool};
    check_model<Classifier>(o, [&](Classifier& model) {
      Context ctx;
      return cross_entropy(model.forward(ids, lengths, ctx), targets);
    });
    check_model<TwoTower>(o, [&](TwoTower& model) {
      Context ctx;
      return cross_entropy(model.forward(ids, lengths, some_ids(3, 7), {}, ctx), targets);
    });
  }
}

BOOST_AUTO_TEST_CASE(an_encoder_and_a_decoder_have_the_same_gradients_there) {
  for (const char* positions : {"learned", "sinusoid", "rotary"}) {
    const EncoderDecoderOptions o{.V = 11, .encoder = small("sf"), .decoder = small("scfscf"), .positions = positions};
    check_model<EncoderDecoder>(o, [&](EncoderDecoder& model) {
      Context ctx;
      const Tensor lengths = tensor({9, 4}, i64);
      const Variable source = model.encode(some_ids(2, 9), lengths, ctx);
      return cross_entropy(model.decode(some_ids(2, 7), source, lengths, ctx), some_ids(2, 7));
    });
  }
}

BOOST_AUTO_TEST_CASE(a_picture_model_has_the_same_gradients_there) {
  const Batch batch{.inputs = some_ids(2, 20), .targets = some_ids(2, 20), .counted = 40};
  for (const char* positions : {"learned", "axial"})
    for (const bool masked : {false, true}) {
      const IgptOptions o{.colours = 11,
                          .rows = 4,
                          .columns = 5,
                          .order = "blocks:2x5",
                          .positions = positions,
                          .masked = masked,
                          .stack = {.C = 16, .heads = 2, .ordering = "sf"}};
      check_model<Igpt>(o, [&](Igpt& model) {
        Context ctx;
        if (masked) return MaskedPixels(model).summed_loss(batch, {}, ctx);
        return NextPixel(model).summed_loss(batch, {}, ctx);
      });
    }
}

BOOST_AUTO_TEST_CASE(an_axial_picture_model_has_the_same_gradients_there) {
  const Batch batch{.inputs = some_ids(2, 20), .counted = 40};
  const AxialTransformerOptions o{
      .colours = 11, .rows = 4, .columns = 5, .stack = {.C = 16, .heads = 2, .ordering = "sf"}};
  check_model<AxialTransformer>(o, [&](AxialTransformer& model) {
    Context ctx;
    return NextPixel(model).summed_loss(batch, {}, ctx);
  });
}

BOOST_AUTO_TEST_CASE(an_axial_picture_model_draws_the_same_there) {
  const GuardedDevice guarded;
  const AxialTransformerOptions o{.colours = 11, .rows = 4, .columns = 5, .stack = {.C = 16, .heads = 2}};
  AxialTransformer here(o), there(o);
  shake(here), shake(there);
  there.move_to(kThere);
  const std::vector<Ids> prompts = {{}, {1, 2, 3, 4, 5, 6, 7}};
  BOOST_TEST((sampled(there, prompts, {.length = 13}) == sampled(here, prompts, {.length = 13})));
}

BOOST_AUTO_TEST_CASE(a_model_that_is_packed_stays_where_it_is) {
  const GuardedDevice guarded;
  Gpt model({.V = 11, .stack = small()});
  const ParameterArena arena(model);
  BOOST_TEST(error_of([&] {
               model.move_to(kThere);
             }).starts_with("move_to: 'input.tokens.weight' is part of a ParameterArena already; "));
}

BOOST_AUTO_TEST_SUITE_END()
