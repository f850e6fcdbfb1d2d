#include "nn/module.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "nn/context.h"
#include "nn/linear.h"
#include "tensor/copy.h"
#include "tensor/ops/reduce.h"
#include "tests/nn/small_modules.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

class Twice : public Module {
 public:
  Twice() {
    child<Linear>("same", 1, 1);
    child<Linear>("same", 1, 1);
  }
};

class Named : public Module {
 public:
  explicit Named(const std::string& name) { parameter(name, {1}, init::zeros()); }
};

std::vector<std::string> paths(Module& model) {
  std::vector<std::string> all;
  for (Parameter* p : model.parameters()) all.push_back(p->path);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(module_test)

BOOST_AUTO_TEST_CASE(parameters_have_paths_and_a_tied_one_appears_once) {
  Model model;
  const std::vector<std::string> want = {"first.a.weight", "first.a.bias", "first.b.weight", "first.b.bias",
                                         "head.weight"};
  BOOST_TEST(paths(model) == want, boost::test_tools::per_element());
  BOOST_TEST(model.parameter_count() == 2 * (9 + 3) + 6);
  BOOST_TEST(model.first.a->path() == "first.a");
  BOOST_TEST(&model.tied == &model.parameters().back()->value);
}

BOOST_AUTO_TEST_CASE(initial_values_depend_on_seed_and_path_only) {
  Pair one, other(true);  // the same modules, made in another order
  BOOST_TEST(same_bits(one.a->weight.value(), other.a->weight.value()));
  BOOST_TEST(!same_bits(one.a->weight.value(), one.b->weight.value()));
  Tensor zero = clone(one.a->weight.value());
  one.initialise(1);
  BOOST_TEST(!same_bits(one.a->weight.value(), zero));
  one.initialise(0);
  BOOST_TEST(same_bits(one.a->weight.value(), zero));
  BOOST_TEST(max(one.a->weight.value()).item() <= 1 / std::sqrt(3.0));
}

BOOST_AUTO_TEST_CASE(bad_names_are_refused) {
  BOOST_TEST(error_of([] { Twice twice; }) == "module: 'same' exists already; a name in a module is used once");
  BOOST_TEST(error_of([] { Named named("a.b"); }) ==
             "module: the name 'a.b' in '' is not allowed; a name has no dots or blanks and is not empty");
  BOOST_TEST(error_of([] { Named named(""); }).starts_with("module: the name '' in ''"));
}

BOOST_AUTO_TEST_CASE(a_wrapped_module_has_the_paths_and_values_that_it_has_alone) {
  struct Wrapper : Module {
    explicit Wrapper(const std::string& own) : inner(wrapped_from([] { return std::make_unique<Linear>(3, 2); })) {
      parameter(own, {1}, init::zeros());
    }
    Linear& inner;
  };
  struct Wrapped : Module {
    explicit Wrapped(const std::string& own) { child<Wrapper>("layer", own); }
  } wrapped("scale");
  struct Alone : Module {
    Linear& layer = child<Linear>("layer", 3, 2);
  } alone;
  const std::vector<std::string> want = {"layer.scale", "layer.weight", "layer.bias"};
  BOOST_TEST(paths(wrapped) == want, boost::test_tools::per_element());
  BOOST_TEST(same_bits(wrapped.parameters()[1]->value.value(), alone.layer.weight.value()));
  BOOST_TEST(error_of([] { Wrapped twice("bias"); }) ==
             "module: 'layer.bias' exists already; a name in a module is used once");
}

BOOST_AUTO_TEST_CASE(two_paths_with_one_hash_are_refused) {
  // Two names whose hashes collide, found by search: this is what a collision looks like.
  std::map<uint32_t, std::string> seen;
  std::string a, b;
  for (uint32_t i = 0; b.empty(); i++) {
    auto [slot, fresh] = seen.try_emplace(site_hash(std::to_string(i)), std::to_string(i));
    if (!fresh) a = slot->second, b = std::to_string(i);
  }
  struct Colliding : Module {
    Colliding(const std::string& a, const std::string& b) {
      parameter(a, {1}, init::zeros());
      parameter(b, {1}, init::zeros());
    }
  };
  BOOST_TEST(error_of([&] { Colliding colliding(a, b); }) ==
             "module: '" + b + "' and '" + a +
                 "' have the same random site (a hash collision); give one of them another name");
}

BOOST_AUTO_TEST_CASE(a_whole_model_can_be_gradchecked_in_double) {
  Pair model;
  model.cast_parameters(f64);
  Context ctx;
  auto f = [&](auto& x) { return model.forward(x[0], ctx); };
  BOOST_CHECK_NO_THROW(gradcheck(f, {noise({2, 3})}, {.f32_tolerance = 0}));
}

BOOST_AUTO_TEST_CASE(a_name_is_free_again_after_its_module_could_not_be_made) {
  struct Failing : Module {
    Failing() { parameter("weight", {2}, init::fan_in()); }  // fan_in is for matrices
  };
  struct Retrying : Module {
    Retrying() {
      BOOST_TEST(error_of([&] { child<Failing>("x"); }).starts_with("fan_in"));
      child<Linear>("x", 1, 1);
    }
  };
  Retrying retrying;
  BOOST_TEST(retrying.parameters().size() == 2);
}

BOOST_AUTO_TEST_CASE(a_buffer_is_drawn_and_cast_like_a_parameter_and_never_trained) {
  struct Random : Module {
    Variable& features = buffer("features", {3, 2}, init::normal(1));
    Linear& out = child<Linear>("out", 2, 1);
  } one, two;
  BOOST_TEST(one.parameters().size() == 2u);  // those of out
  BOOST_TEST(one.parameter_count() == 3);
  BOOST_TEST_REQUIRE(one.buffers().size() == 1u);
  BOOST_TEST(one.buffers()[0]->path == "features");
  BOOST_TEST(!one.features.requires_grad());
  one.initialise(5), two.initialise(5);
  BOOST_TEST(same_bits(one.features.value(), two.features.value()));
  two.initialise(6);
  BOOST_TEST(!same_bits(one.features.value(), two.features.value()));
  one.cast_parameters(f64);
  BOOST_TEST(one.features.dtype() == f64);
  struct Twice : Module {
    Twice() { buffer("x", {1}, init::zeros()), parameter("x", {1}, init::zeros()); }
  };
  BOOST_TEST(error_of([] { Twice twice; }) == "module: 'x' exists already; a name in a module is used once");
}

BOOST_AUTO_TEST_SUITE_END()
