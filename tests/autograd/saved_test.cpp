#include "autograd/saved.h"

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

int computed_again = 0;

Variable cube(const Variable& x) {  // x is kept for the gradient; whoever needs y computes it again
  const auto f = [](const Tensor& v) { return v * v * v; };
  const Variable y = record("cube", f(x.value()), {x}, [x = Saved(x)](const Tensor& dy) { return dy * x * x * 3.0; });
  return recomputable(y, [f, x = Saved(x)] {
    computed_again++;
    return f(x);
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(saved_test)

BOOST_AUTO_TEST_CASE(nothing_is_kept_under_no_grad) {
  const Variable x = Variable::leaf(tensor({1, 2}));
  const long holders = x.value().storage().use_count();
  {
    NoGrad guard;
    BOOST_TEST(!Saved(x).get().defined());
    const Variable y = record("exp", x.value() * 2.0, {x}, [&, x = Saved(x)](const Tensor& dy) {
      BOOST_TEST(false, "there is no backward");
      return dy;
    });
    BOOST_TEST(y.value().storage().use_count() == 1);
    BOOST_TEST(x.value().storage().use_count() == holders);
  }
  BOOST_TEST(Saved(x).get().storage() == x.value().storage());
}

BOOST_AUTO_TEST_CASE(a_saved_tensor_changed_in_place_is_refused) {
  Variable x = Variable::leaf(tensor({1, 2}));
  Variable y = softmax(x);
  fill(y.value(), 0);
  BOOST_TEST(
      error_of([&] { sum(y).backward(); }) ==
      "softmax: a tensor saved for its gradient, (2,) f32, was changed in place after the forward pass (version 1, "
      "now 2). Write into clone(x), or after backward");
  Variable z = x + 1.0;  // keeps nothing, so nothing can be stale
  fill(x.value(), 7);
  BOOST_CHECK_NO_THROW(sum(z).backward());
}

BOOST_AUTO_TEST_CASE(a_recomputable_result_is_not_kept_and_has_the_same_gradients) {
  gradcheck([](auto& x) { return matmul(cube(x[0]), x[1]); }, {noise({3, 4}), noise({4, 2}, 2)});
  const Variable x = Variable::leaf(randn({100, 100}, 1)), w = Variable::leaf(randn({100, 100}, 2));
  computed_again = 0;
  const size_t before = memory_stats().live;
  const Variable y = matmul(cube(x), w);
  BOOST_TEST(memory_stats().live <= before + 45056);  // y: 40,000 bytes, rounded up
  BOOST_TEST(computed_again == 0);
  sum(y).backward();
  BOOST_TEST(computed_again == 1);
  sum(matmul(cube(x), Variable(randn({100, 100}, 2)))).backward();  // only w's gradient would need it
  BOOST_TEST(computed_again == 1);
}

BOOST_AUTO_TEST_CASE(a_norm_of_a_recomputable_result_does_not_keep_it) {
  const Variable x = Variable::leaf(randn({100, 100}, 1)), w = Variable::leaf(randn({100, 100}, 2));
  for (auto norm : {static_cast<Variable (*)(const Variable&, const Variable&, const Variable&, double)>(layer_norm),
                    static_cast<Variable (*)(const Variable&, const Variable&, const Variable&, double)>(rms_norm)}) {
    const size_t before = memory_stats().live;
    const Variable y = matmul(norm(cube(x), {}, {}, 1e-5), w);
    BOOST_TEST(memory_stats().live <= before + 45056 + 4096);  // y, and numbers for each row
  }
}

BOOST_AUTO_TEST_CASE(what_a_recomputable_result_comes_from_must_not_change) {
  const Variable x = Variable::leaf(tensor({1, 2}, {1, 2})), w = Variable::leaf(tensor({3, 4}, {2, 1}));
  const Variable y = matmul(cube(x), w);
  fill(x.value(), 5);
  BOOST_TEST(error_of([&] { sum(y).backward(); }).starts_with("matmul: a tensor saved for its gradient"));
}

BOOST_AUTO_TEST_SUITE_END()
