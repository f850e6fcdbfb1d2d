// Linear probes.
#include "tasks/image/linear_probe.h"

#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/random.h"
#include "tests/support/error_of.h"
#include "tests/support/guarded_device.h"
#include "tests/tasks/image/tiny_image.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(linear_probe_test)

namespace {

// The label is 1 where the first number is above the second, far from any scale that a regression likes.
LabelledVectors separable(long n, uint32_t seed) {
  std::vector<float> x = randn({n, 2}, seed).to_vector<float>();
  std::vector<int64_t> labels;
  for (long i = 0; i < n; i++) {
    labels.push_back(x[size_t(2 * i)] > x[size_t(2 * i + 1)]);
    x[size_t(2 * i)] = x[size_t(2 * i)] * 1000 + 5000;
  }
  return {from_vector(x, {n, 2}), from_vector(labels, {n})};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_regression_learns_what_a_line_parts) {
  BOOST_TEST(regression_accuracy(separable(400, 1), separable(200, 2), 2) > 0.97);
}

// Its deviation is 0: what is divided by it must stay finite.
BOOST_AUTO_TEST_CASE(a_constant_feature_does_no_harm) {
  LabelledVectors train = separable(400, 1), test = separable(200, 2);
  for (LabelledVectors* part : {&train, &test})
    part->vectors = concatenate({part->vectors, full({part->vectors.size(0), 1}, 7)}, 1);
  BOOST_TEST(regression_accuracy(train, test, 2) > 0.97);
}

BOOST_AUTO_TEST_CASE(every_layer_and_the_pixels_have_an_accuracy) {
  const ImageSettings s = tiny_image();
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  const Probe probe = linear_probe(task.model(), task.palette(), tiny_pictures(), {.train = 20, .batch = 7});
  BOOST_TEST(probe.layers.size() == 2u);
  BOOST_TEST(probe.train == 20);
  BOOST_TEST(probe.test == 3);
  ImageData unlabelled = tiny_pictures();
  unlabelled.labels.clear();
  BOOST_TEST(
      error_of([&] { linear_probe(task.model(), task.palette(), unlabelled); }) ==
      "probe: these pictures have 0 labels; a probe tells at least two apart. Put the pictures into a folder for "
      "each label");
}

BOOST_AUTO_TEST_CASE(a_model_without_features_says_so) {
  ImageSettings s = tiny_image();
  s.model = "axial";
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  BOOST_TEST(error_of([&] { linear_probe(task.model(), task.palette(), tiny_pictures(), {.train = 20}); }) ==
             "igpt: this kind of picture model has no features to probe; probe one of the model igpt");
}

// The model may be on a GPU; the regression is on the CPU.
BOOST_AUTO_TEST_CASE(a_model_on_another_device_is_probed_alike) {
  const ImageSettings s = tiny_image();
  ImageTask task(s, tiny_pictures(), palette_for(s, tiny_pictures()));
  const ProbeOptions options{.train = 20, .batch = 7};
  const Probe here = linear_probe(task.model(), task.palette(), tiny_pictures(), options);
  const GuardedDevice guarded;
  task.model().move_to(guarded.device);
  const Probe there = linear_probe(task.model(), task.palette(), tiny_pictures(), options);
  task.model().move_to(cpu);
  BOOST_TEST(there.layers == here.layers);
  BOOST_TEST(guarded.host_pointers() == "");
}

BOOST_AUTO_TEST_SUITE_END()
