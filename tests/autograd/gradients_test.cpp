// One gradcheck per recorded op, and the proof that none is missing.
#include <filesystem>
#include <regex>

#include "autograd/attach_loss.h"
#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/recompute.h"
#include "autograd/reversible.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/random.h"
#include "tests/support/at_end.h"
#include "tests/support/folder.h"

using namespace heed;
using Variables = std::vector<Variable>;

namespace {

OpNames names;
const bool watching = (watch_ops(&names), true);

Tensor random(const Shape& shape, uint32_t seed = 1) { return randn(shape, seed, f64); }
// Positive and away from 0: for log, sqrt and division.
Tensor positive(const Shape& shape, uint32_t seed = 1) { return uniform(shape, {.seed = seed}, 0.5, 2, f64); }

struct Case {
  const char* name;
  Function f;
  std::vector<Tensor> inputs;
};

// Shapes are odd on purpose; (2, 0, 3) and (1,) stand for empty and one-element inputs.
std::vector<Case> cases() {
  const Tensor ids = tensor({2, 0, 2, 1, 2}, i64), picks = tensor({1, 0, 2, 2, 2, 1}, {2, 3}, i64);
  return {
      {"matmul", [](auto& x) { return matmul(x[0], x[1]); }, {random({3, 5}), random({5, 2}, 2)}},
      {"matmul of transposed",
       [](auto& x) { return matmul(transpose(x[0]), transpose(x[1])); },
       {random({5, 3}), random({2, 5}, 2)}},
      {"matmul in batches", [](auto& x) { return matmul(x[0], x[1]); }, {random({2, 3, 5}), random({2, 5, 2}, 2)}},
      {"matmul broadcasting b", [](auto& x) { return matmul(x[0], x[1]); }, {random({2, 3, 5}), random({5, 2}, 2)}},
      {"matmul broadcasting a", [](auto& x) { return matmul(x[0], x[1]); }, {random({3, 5}), random({2, 2, 5, 3}, 2)}},
      {"matmul of nothing", [](auto& x) { return matmul(x[0], x[1]); }, {random({3, 0}), random({0, 2}, 2)}},
      {"linear",
       [](auto& x) { return linear(x[0], x[1], x[2]); },
       {random({2, 3, 5}), random({4, 5}, 2), random({4}, 3)}},
      {"linear without bias", [](auto& x) { return linear(x[0], x[1], Variable()); }, {random({5}), random({4, 5}, 2)}},
      {"sum", [](auto& x) { return sum(x[0]); }, {random({3, 4})}},
      {"sum over axes",
       [](auto& x) {
         return sum(x[0], {0, 2});
       },
       {random({3, 4, 5})}},
      {"sum keeping axes", [](auto& x) { return sum(x[0], {-1}, true) * x[0]; }, {random({3, 4})}},
      {"sum of nothing", [](auto& x) { return sum(x[0], {1}); }, {random({2, 0, 3})}},
      {"mean", [](auto& x) { return mean(x[0], {1}); }, {random({3, 4, 5})}},
      {"max", [](auto& x) { return max(x[0]); }, {random({3, 4})}},
      {"max over axes",
       [](auto& x) {
         return max(x[0], {0, 2}, true);
       },
       {random({3, 4, 5})}},
      {"softmax", [](auto& x) { return softmax(x[0]); }, {random({3, 5})}},
      {"softmax over rows", [](auto& x) { return softmax(x[0], 0); }, {random({3, 5, 2})}},
      {"softmax of one", [](auto& x) { return softmax(x[0]); }, {random({1})}},
      {"reshape",
       [](auto& x) {
         return reshape(x[0], {5, -1});
       },
       {random({3, 5})}},
      {"reshape of transposed", [](auto& x) { return reshape(transpose(x[0]), {-1}); }, {random({3, 5})}},
      {"flatten", [](auto& x) { return flatten(x[0]); }, {random({3, 5})}},
      {"transpose", [](auto& x) { return transpose(x[0], 0, 2); }, {random({3, 4, 5})}},
      {"permute",
       [](auto& x) {
         return permute(x[0], {2, 0, 1});
       },
       {random({3, 4, 5})}},
      {"permute by negative axes",
       [](auto& x) {
         return permute(x[0], {-1, 0, -2});
       },
       {random({3, 4, 5})}},
      {"slice", [](auto& x) { return slice(x[0], 1, 1, -1, 2); }, {random({3, 7})}},
      {"select", [](auto& x) { return select(x[0], 1, -1); }, {random({3, 4, 2})}},
      {"expand",
       [](auto& x) {
         return expand(x[0], {2, 3, 4});
       },
       {random({3, 1})}},
      {"squeeze", [](auto& x) { return squeeze(x[0], 1); }, {random({3, 1, 2})}},
      {"unsqueeze", [](auto& x) { return unsqueeze(x[0], -1); }, {random({3, 2})}},
      {"contiguous", [](auto& x) { return contiguous(transpose(x[0])); }, {random({3, 2})}},
      {"cast", [](auto& x) { return cast(x[0], x[0].dtype() == f64 ? f64 : f32); }, {random({3, 2})}},
      {"gather", [=](auto& x) { return gather(x[0], 1, picks); }, {random({2, 3})}},
      {"embedding", [=](auto& x) { return embedding(x[0], ids); }, {random({3, 4})}},
      {"concatenate",
       [](auto& x) {
         return concatenate({x[0], x[1], x[0]}, 1);
       },
       {random({2, 3}), random({2, 1}, 2)}},
      {"cross_entropy",
       [](auto& x) {
         return cross_entropy(x[0], tensor({3, 0, 1, 1}, {2, 2}, i64));
       },
       {random({2, 2, 5})}},
      {"attach_loss",
       [](auto& x) { return attach_loss(sum(x[0]), Variable(scalar(0, x[0].dtype())), 2); },
       {random({3})}},
      {"one input twice", [](auto& x) { return x[0] * x[0] + x[0]; }, {random({3})}},
      {"reversible",
       [](auto& x) {
         const Branch f = [](auto&h) { return tanh(h * 3.0); }, g = [](auto&h) { return h * h; };
         const Halves y = reversible({f, g, g, f}, {x[0], x[1]}, nullptr);
         return y.x1 * y.x2;
       },
       {random({2, 3}), random({2, 3}, 2)}},
      {"recompute",
       [](auto& x) { return recompute([](const Variables& in) { return tanh(matmul(in[0], in[1])); }, x, nullptr); },
       {random({2, 3}), random({3, 2}, 2)}},
  };
}

void every_recorded_op_has_a_gradcheck() {
  for (const std::string& op : names.recorded)
    BOOST_CHECK_MESSAGE(names.checked.contains(op), op << " has no gradcheck");
  // An op that no test runs at all is found in the sources.
  const std::regex call("\\brecord(?:_many)?\\(\\s*\"([a-z_0-9]+)\"");
  BOOST_REQUIRE_MESSAGE(std::filesystem::exists("autograd/variable.cpp"), "run the tests from the project's folder");
  for (const char* tree : {"autograd", "nn", "attention", "models"}) {
    if (!std::filesystem::exists(tree)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = read_file(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it)
        BOOST_CHECK_MESSAGE(names.checked.contains((*it)[1]),
                            entry.path() << " records " << (*it)[1] << ", which has no gradcheck");
    }
  }
}
const AtEnd at_end("every_recorded_op_has_a_gradcheck", every_recorded_op_has_a_gradcheck);

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_passes_gradcheck) {
  for (const Case& c : cases()) BOOST_CHECK_NO_THROW(BOOST_TEST_CONTEXT(c.name) gradcheck(c.f, c.inputs));
}

BOOST_AUTO_TEST_CASE(every_unary_op_of_the_table_passes_gradcheck){
#define HEED_CHECK_ROW(name, saves, f, df)                                                      \
  BOOST_TEST_CONTEXT(#name) {                                                                   \
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return name(x[0]); }, {positive({3, 5})}));    \
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return name(x[0]); }, {positive({2, 0, 3})})); \
    BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return name(x[0]); }, {positive({})}));        \
  }
    HEED_UNARY_TABLE(HEED_CHECK_ROW)
#undef HEED_CHECK_ROW
}

BOOST_AUTO_TEST_CASE(unary_ops_that_take_any_number_pass_gradcheck_below_zero) {
  for (auto op :
       {static_cast<Variable (*)(const Variable&)>(neg), static_cast<Variable (*)(const Variable&)>(exp),
        static_cast<Variable (*)(const Variable&)>(tanh), static_cast<Variable (*)(const Variable&)>(relu),
        static_cast<Variable (*)(const Variable&)>(sigmoid), static_cast<Variable (*)(const Variable&)>(gelu)})
    BOOST_CHECK_NO_THROW(gradcheck([=](auto& x) { return op(x[0]); }, {random({4, 5})}));
}

BOOST_AUTO_TEST_CASE(every_binary_op_of_the_table_passes_gradcheck_with_every_kind_of_broadcast) {
  const std::pair<Shape, Shape> shapes[] = {{{3, 5}, {3, 5}}, {{3, 5}, {5}},    {{1, 5}, {3, 1}},
                                            {{}, {2, 3}},     {{2, 0, 3}, {3}}, {{4}, {2, 1, 4}}};
#define HEED_CHECK_ROW(name, saves, f, da, db)             \
  BOOST_TEST_CONTEXT(#name << " of " << a << " and " << b) \
  BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return name(x[0], x[1]); }, {positive(a), positive(b, 2)}));
  for (const auto& [a, b] : shapes) {
    HEED_BINARY_TABLE(HEED_CHECK_ROW)
  }
#undef HEED_CHECK_ROW
}

BOOST_AUTO_TEST_CASE(gradcheck_finds_a_wrong_gradient_and_says_where) {
  auto wrong = [](auto& x) {
    return record("tanh", tanh(x[0].value()), {x[0]}, [](const Tensor& dy) { return dy * 2.0; });
  };
  try {
    gradcheck(wrong, {tensor({0, 1}, f64)});
    BOOST_ERROR("not found");
  } catch (const Error& e) {
    BOOST_TEST(std::string(e.what()).starts_with(
                   "gradcheck: against central differences: input 0, element (0,): the gradient is "),
               e.what());
  }
}

BOOST_AUTO_TEST_CASE(gradcheck_finds_a_tensor_that_was_not_captured_as_saved) {
  auto careless = [](auto& x) {
    return record("exp", exp(x[0].value()), {x[0]}, [x = x[0].value()](const Tensor& dy) { return dy * exp(x); });
  };
  try {
    gradcheck(careless, {tensor({0.5, 1}, f64)});
    BOOST_ERROR("not found");
  } catch (const Error& e) {
    BOOST_TEST(std::string(e.what()).find("capture it as Saved") != std::string::npos, e.what());
  }
}
