#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "nn/arena.h"
#include "nn/context.h"
#include "nn/linear.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

class Pair : public Module {
 public:
  explicit Pair(bool reversed = false) {
    if (reversed) b = &child<Linear>("b", 3, 3);
    a = &child<Linear>("a", 3, 3);
    if (!reversed) b = &child<Linear>("b", 3, 3);
  }
  Variable forward(const Variable& x, Context& ctx) { return b->forward(tanh(a->forward(x, ctx)), ctx); }
  Linear *a = nullptr, *b = nullptr;
};

class Model : public Module {
 public:
  Model()
      : first(child<Pair>("first")),
        head(child<Linear>("head", 3, 2, Linear::Options{.bias = false})),
        tied(head.weight) {}
  Pair& first;
  Linear& head;
  Variable& tied;  // the same Variable: one parameter
};

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

BOOST_AUTO_TEST_CASE(frozen_parameters_get_no_gradient_and_no_place_in_the_arena) {
  Model model;
  BOOST_TEST(model.freeze("first.a") == 2);
  BOOST_TEST(error_of([&] { model.freeze("second"); }) == "freeze: no parameter's path begins with 'second'");
  ParameterArena arena(model);
  BOOST_TEST(arena.entries().size() == 3);
  Context ctx;
  sum(model.head.forward(model.first.forward(Variable(ones({2, 3})), ctx), ctx)).backward();
  BOOST_TEST(!model.first.a->weight.grad().defined());
  BOOST_TEST(model.first.b->weight.grad().defined());
}

BOOST_AUTO_TEST_CASE(the_arena_holds_every_weight_and_takes_every_gradient) {
  Model model;
  Tensor before = clone(model.head.weight.value());
  ParameterArena arena(model);
  BOOST_TEST(same_bits(clone(model.head.weight.value()), before));
  BOOST_TEST(model.head.weight.value().storage() == arena.weights().storage());
  BOOST_TEST(arena.decay_size() == 16 + 16 + 16);  // three matrices, each rounded up to 64 bytes
  BOOST_TEST(arena.size() == arena.decay_size() + 2 * 16);
  Context ctx;
  for (int i = 0; i < 2; i++) sum(model.head.forward(model.first.forward(Variable(ones({2, 3})), ctx), ctx)).backward();
  for (const auto& entry : arena.entries()) {
    BOOST_TEST(entry.offset % 16 == 0);
    BOOST_TEST(entry.decay == (entry.offset < arena.decay_size()));
  }
  BOOST_TEST(model.head.weight.grad().storage() == arena.gradients().storage());
  BOOST_TEST(sum(model.head.weight.grad() * model.head.weight.grad()).item() > 0);
  arena.zero_gradients();
  BOOST_TEST(sum(model.head.weight.grad() * model.head.weight.grad()).item() == 0);
}

BOOST_AUTO_TEST_CASE(a_linear_layer_is_what_it_says) {
  Linear layer(3, 2);
  layer.initialise(4);
  copy_into(layer.bias().value(), tensor({1, -1}));
  Context ctx;
  Tensor x = tensor({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor y = layer.forward(x, ctx).value();
  for (long i : {0, 1})
    for (long j : {0, 1}) {
      double want = layer.bias().value().at({j});
      for (long k = 0; k < 3; k++) want += x.at({i, k}) * layer.weight.value().at({j, k});
      BOOST_TEST(y.at({i, j}) == want, boost::test_tools::tolerance(1e-6));
    }
  BOOST_TEST(error_of([&] {
               layer.forward(Variable(zeros({2, 4})), ctx);
             }) == "linear: x is (2, 4) and w is (2, 3); with x (..., in) w must be (out, in)");
  BOOST_TEST(!Linear(3, 2, {.bias = false}).bias().defined());
}

BOOST_AUTO_TEST_CASE(a_whole_model_can_be_gradchecked_in_double) {
  Pair model;
  model.cast_parameters(f64);
  Context ctx;
  auto f = [&](auto& x) { return model.forward(x[0], ctx); };
  BOOST_CHECK_NO_THROW(gradcheck(f, {noise({2, 3})}, {.f32_tolerance = 0}));
}

BOOST_AUTO_TEST_CASE(packed_parameters_are_not_frozen_cast_or_packed_again) {
  Pair model;
  ParameterArena arena(model);
  const std::string rule =
      "'a.weight' is part of a ParameterArena already; freeze and cast parameters before they are packed, and pack "
      "once";
  BOOST_TEST(error_of([&] { model.freeze("a"); }) == "freeze: " + rule);
  BOOST_TEST(error_of([&] { model.cast_parameters(f64); }) == "cast_parameters: " + rule);
  BOOST_TEST(error_of([&] { ParameterArena again(model); }) == "arena: " + rule);
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
