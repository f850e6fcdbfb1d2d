// Training, sampling and checkpoints on cuda: to the losses of the cpu, with no more traffic than a step needs.
#include <sstream>

#include "autograd/ops/cross_entropy.h"
#include "models/classifier.h"
#include "models/igpt.h"
#include "models/objectives/next_pixel.h"
#include "tasks/language/bits_per_byte.h"
#include "tasks/language/text_sampler.h"
#include "tensor/create.h"
#include "tests/cuda/on_cuda.h"
#include "tests/demos/charlm.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/lm_on_device.h"

using namespace heed;

namespace {

const std::vector<std::string> kText = {tiny_text(), tiny_text(20)};

struct Training : LmOnDevice {
  Training(const LmSettings& s, Device device) : LmOnDevice(s, kText, device) {}
};

LmSettings settings(const std::string& attention = "full") {
  LmSettings s = tiny_lm();
  s.attention = attention, s.layers = 2, s.width = 32, s.dropout = 0.1;
  return s;
}

// Gradients of a model on both devices, close to each other
template <class Model, class Options> void check_gradients(const Options& options, FunctionRef<Variable(Model&)> loss) {
  Model here(options), there(options);
  shake(here), shake(there);
  there.move_to(kCuda);
  for (Model* model : {&here, &there}) model->zero_grad(), loss(*model).backward();
  const auto want = here.parameters(), got = there.parameters();
  for (size_t i = 0; i < want.size(); i++) {
    BOOST_REQUIRE(got[i]->value.grad().defined() == want[i]->value.grad().defined());
    if (want[i]->value.grad().defined()) check_close(to(got[i]->value.grad(), cpu), want[i]->value.grad(), 1e-4);
  }
}

// The numbers behind "name": in the lines of metrics.jsonl
std::vector<double> metrics(const std::string& run, const std::string& name) {
  std::istringstream lines(read_file(run + "/metrics.jsonl"));
  std::vector<double> values;
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find("\"" + name + "\":"); at != std::string::npos)
      values.push_back(std::stod(line.substr(at + name.size() + 3)));
  return values;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_training_test)

BOOST_AUTO_TEST_CASE(a_language_model_learns_there_what_it_learns_here, *on_cuda) {
  for (const char* attention : {"full", "window:left=6"}) {
    Training here(settings(attention), cpu), there(settings(attention), kCuda);
    for (int i = 0; i < 20; i++) {
      const Step want = here.trainer.advance(), got = there.trainer.advance();
      BOOST_TEST(std::abs(got.loss - want.loss) < 1e-4, attention << ", step " << i);
    }
    BOOST_TEST(sampled_text(there.task.model(), there.task.vocabulary(), "line 1", {.length = 40}).size() >= 40u);
    BOOST_TEST(std::abs(bits_per_byte(there.task.model(), split_of(kText), {.batch = 3}).bpc -
                        bits_per_byte(here.task.model(), split_of(kText), {.batch = 3}).bpc) < 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(a_step_reads_the_loss_and_the_norm_and_uploads_inputs_and_targets, *on_cuda) {
  LmSettings s = settings();
  s.data = "one";
  LanguageTask task(s, split_of({kText[0]}));
  Trainer trainer(Training::moved(task, kCuda));
  trainer.advance();
  const CopyCounts before = copy_counts();
  trainer.advance();
  BOOST_TEST(copy_counts().to_host - before.to_host == 2);
  BOOST_TEST(copy_counts().from_host - before.from_host == 2);
}

BOOST_AUTO_TEST_CASE(a_step_in_bf16_is_close_too, *on_cuda) {
  LmSettings s = settings();
  s.dtype = "bf16";
  Training here(s, cpu), there(s, kCuda);
  for (int i = 0; i < 3; i++) {
    const Step want = here.trainer.advance(), got = there.trainer.advance();
    BOOST_TEST(std::abs(got.loss - want.loss) < 1e-2, "step " << i);
  }
}

BOOST_AUTO_TEST_CASE(a_classifier_has_the_same_gradients_there, *on_cuda) {
  const Tensor ids = some_ids(3, 12), lengths = tensor({12, 5, 1}, i64), targets = tensor({0, 2, 1}, i64);
  for (const char* pool : {"mean", "cls"})
    check_gradients<Classifier>(ClassifierOptions{.V = 11, .classes = 3, .stack = small(), .pool = pool},
                                [&](Classifier& model) {
                                  Context ctx;
                                  return cross_entropy(model.forward(ids, lengths, ctx), targets);
                                });
}

BOOST_AUTO_TEST_CASE(a_picture_model_has_the_same_gradients_there, *on_cuda) {
  const Batch batch{.inputs = some_ids(2, 20), .targets = some_ids(2, 20), .counted = 40};
  for (const char* positions : {"learned", "axial"})
    check_gradients<Igpt>(IgptOptions{.colours = 11,
                                      .rows = 4,
                                      .columns = 5,
                                      .positions = positions,
                                      .stack = {.C = 16, .heads = 2, .ordering = "sf"}},
                          [&](Igpt& model) {
                            Context ctx;
                            return NextPixel(model).summed_loss(batch, {}, ctx);
                          });
}

// As a user does, with the program: on cuda, then on at the cpu from its checkpoint
BOOST_AUTO_TEST_CASE(charlm_trains_there_says_where_it_is_and_goes_on_at_the_cpu, *on_cuda) {
  const Place at;
  const Ran there = at.train({"--device", "cuda", "--steps", "20"});
  BOOST_TEST(there.code == 0, there.err);
  BOOST_TEST(there.out.substr(0, there.out.find('\n')).find(description(kCuda)) != std::string::npos, there.out);
  const std::string other = at.folder / "cpu";
  BOOST_TEST(at(tiny_train(at.data, other, {"--steps", "20"})).code == 0);
  const std::vector<double> got = metrics(at.run, "bpc"), want = metrics(other, "bpc");
  BOOST_REQUIRE(got.size() == want.size());
  BOOST_REQUIRE(!got.empty());
  for (size_t i = 0; i < got.size(); i++) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-4, "line " << i);
  BOOST_TEST(at({"sample", "--run", at.run, "--device", "cuda", "--length", "30", "--prompt", "line"}).code == 0);
  const Ran on = at({"train", "--resume", "--run", at.run, "--steps", "24"});
  BOOST_TEST(on.code == 0, on.err);
  BOOST_TEST(on.out.find("final step=24") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
