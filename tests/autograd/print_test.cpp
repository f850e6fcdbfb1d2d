// How a Variable prints.
#include "autograd/print.h"

#include <sstream>

#include "autograd/ops/elementwise.h"
#include "tensor/create.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(autograd_print_test)

namespace {

std::string text_of(const Variable& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_variable_prints_its_values_and_where_gradients_go) {
  const Tensor values = tensor({0.5, -0.25});
  const std::string shown = values.str().substr(6, values.str().size() - 7);  // without "Tensor" and the last bracket
  Variable w = Variable::leaf(values);
  BOOST_TEST(text_of(values) == "Variable" + shown + ", a constant)");
  BOOST_TEST(text_of(w) == "Variable" + shown + ", a leaf)");
  BOOST_TEST(text_of(w * 1.0) == "Variable" + shown + ", with a gradient)");
  w.set_requires_grad(false);
  BOOST_TEST(text_of(w) == "Variable" + shown + ", a frozen leaf)");
  BOOST_TEST(text_of({}) == "Variable(undefined)");
}

BOOST_AUTO_TEST_SUITE_END()
