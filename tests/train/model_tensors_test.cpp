// Models and flat tensors as named tensors: values arrive, and what does not fit changes nothing.
#include "train/model_tensors.h"

#include "autograd/finite.h"
#include "nn/linear.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(model_tensors_test)

namespace {

class Two : public Module {
 public:
  explicit Two(long width) : hidden(child<Linear>("hidden", 3, width)), out(child<Linear>("out", width, 2)) {}
  Linear &hidden, &out;
};

std::vector<NamedTensor> cloned(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> out;
  for (const auto& [name, value] : tensors) out.push_back({name, clone(value)});
  return out;
}

std::vector<float> all_numbers(Module& model) {
  std::vector<float> out;
  for (const auto& [name, value] : model_tensors(model))
    for (const float x : value.to_vector<float>()) out.push_back(x);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_takes_the_weights_of_another) {
  Two a(5), b(5), packed(5);
  a.initialise(1);
  b.initialise(2);
  BOOST_TEST((all_numbers(a) != all_numbers(b)));
  load_model(b, model_tensors(a), "a");
  BOOST_TEST((all_numbers(a) == all_numbers(b)));
  const ParameterArena arena(packed);
  load_model(packed, model_tensors(a), "a");
  BOOST_TEST((all_numbers(packed) == all_numbers(a)));
  BOOST_TEST(arena.weights().at({0}) == a.hidden.weight.value().at({0, 0}));  // through to the flat tensor
}

BOOST_AUTO_TEST_CASE(frozen_parameters_are_saved_too_and_floats_are_cast) {
  Two model(5);
  model.freeze("hidden");
  std::vector<NamedTensor> weights = cloned(model_tensors(model));
  BOOST_TEST(weights.size() == 4u);
  for (auto& [name, value] : weights) value = full(value.shape(), 0.5, bf16);
  load_model(model, weights, "a");
  for (const float x : all_numbers(model)) BOOST_TEST(x == 0.5f);
}

BOOST_AUTO_TEST_CASE(buffers_are_saved_behind_the_parameters) {
  struct Random : Module {
    Variable& features = buffer("features", {3}, init::normal(1));
    Variable& weight = parameter("weight", {2}, init::normal(1), false);
  } one, two;
  one.initialise(1), two.initialise(2);
  const std::vector<NamedTensor> saved = model_tensors(one);
  BOOST_TEST_REQUIRE(saved.size() == 2u);
  BOOST_TEST(saved[1].name == "features");
  load_model(two, saved, "a");
  BOOST_TEST(same_bits(two.features.value(), one.features.value()));
  BOOST_TEST(error_of([&] {
               load_model(two, {saved[0]}, "a");
             }).starts_with("load_model: a does not fit: 'features' is missing, expected (3,)"));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_told_and_changes_nothing) {
  Two model(5), other(6);
  model.initialise(1);
  const std::vector<float> before = all_numbers(model);
  std::vector<NamedTensor> weights = cloned(model_tensors(model));
  const auto load = [&] { return error_of([&] { load_model(model, weights, "a.safetensors"); }); };
  fill(weights[0].value, 7);
  weights[3].name = "out.bais";
  BOOST_TEST(
      load() ==
      "load_model: a.safetensors does not fit: 'out.bias' is missing, expected (2,); 'out.bais' (2,) is left over: "
      "nothing has this name. Was it made with other settings?");
  weights[3] = {"out.bias", zeros({2}, i64)};
  BOOST_TEST(
      load() ==
      "load_model: a.safetensors does not fit: 'out.bias' is i64, expected f32. Was it made with other settings?");
  weights = model_tensors(other);
  BOOST_TEST(load().find("'hidden.bias' is (6,), expected (5,)") != std::string::npos);
  weights.clear();
  BOOST_TEST(load().find("; and 1 more. Was it made with other settings?") != std::string::npos);
  BOOST_TEST((all_numbers(model) == before));
}

BOOST_AUTO_TEST_CASE(a_flat_tensor_is_split_by_parameter_and_joined_again) {
  Two model(5);
  const ParameterArena arena(model);
  const Tensor m = zeros({arena.size()}), back = zeros({arena.size()});
  const std::vector<NamedTensor> parts = split_flat(arena, m, "m.");
  BOOST_TEST(parts.size() == 4u);
  for (size_t i = 0; i < 4; i++) {
    BOOST_TEST(parts[i].name == "m." + arena.entries()[i].path);
    BOOST_TEST(parts[i].value.shape() == arena.entries()[i].shape);
    copy_into(parts[i].value, noise(parts[i].value.shape(), uint32_t(i)));  // views: m changes
  }
  std::vector<NamedTensor> saved = cloned(parts);
  saved.push_back({"v.hidden.weight", zeros({1})});  // another prefix: not looked at
  join_flat(arena, back, saved, "m.", "a");
  BOOST_TEST((back.to_vector<float>() == m.to_vector<float>()));  // gaps are zero in both
  saved.erase(saved.begin());
  BOOST_TEST(error_of([&] {
               join_flat(arena, back, saved, "m.", "a");
             }).starts_with("join_flat: a does not fit: 'm." + arena.entries()[0].path + "' is missing, expected ("));
  BOOST_TEST(error_of([&] {
               split_flat(arena, zeros({3}), "m.");
             }).starts_with("split_flat: the flat tensor is (3,); it must be contiguous and as large as the arena"));
}

BOOST_AUTO_TEST_CASE(a_model_that_is_read_draws_nothing_and_has_the_tensors_themselves) {
  Two a(5);
  a.initialise(3);
  const std::vector<NamedTensor> weights = model_tensors(a);
  const auto b = make_loaded<Two>(weights, "a", 5L);
  BOOST_TEST((all_numbers(*b) == all_numbers(a)));
  BOOST_TEST(b->hidden.weight.value().data<float>() == a.hidden.weight.value().data<float>());
  BOOST_TEST((all_numbers(*std::make_unique<Two>(5)) == all_numbers(*std::make_unique<Two>(5))));  // drawn again
}

BOOST_AUTO_TEST_CASE(a_model_that_does_not_fit_is_refused_before_it_takes_memory) {
  reset_peak();
  const size_t before = memory_stats().peak;
  const std::vector<NamedTensor> weights = {{"hidden.weight", zeros({5, 3})}};
  BOOST_TEST(
      error_of([&] { make_loaded<Two>(weights, "a", 1L << 40); }) ==
      "load_model: a does not fit: 'hidden.weight' is (5, 3), expected (1099511627776, 3); 'hidden.bias' is "
      "missing, expected (1099511627776,); 'out.weight' is missing, expected (2, 1099511627776); and 1 more. Was "
      "it made with other settings?");
  BOOST_TEST(memory_stats().peak < before + 10'000);
}

BOOST_AUTO_TEST_CASE(weights_that_are_not_finite_are_refused) {
  for (const double bad : {double(NAN), double(INFINITY)})
    for (const DType dtype : {f32, bf16}) {
      Two model(5);
      std::vector<NamedTensor> weights = cloned(model_tensors(model));
      weights[1].value = full({5}, bad, dtype);
      BOOST_CHECK_THROW(make_loaded<Two>(weights, "a", 5L), NotFinite);
      BOOST_TEST(error_of([&] { make_loaded<Two>(weights, "a", 5L); }) ==
                 "load_model: a has a weight that is not a finite number, in 'hidden.bias': whatever this model says "
                 "means nothing. Take an older checkpoint");
    }
}

BOOST_AUTO_TEST_SUITE_END()
