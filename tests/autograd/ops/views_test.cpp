#include "autograd/ops/views.h"

#include "autograd/gradcheck.h"
#include "tests/support/compare.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(views_test)

BOOST_AUTO_TEST_CASE(every_view_passes_gradcheck) {
  const struct {
    const char* name;
    Function f;
    Shape x;
  } table[] = {
      {"reshape",
       [](auto& x) {
         return reshape(x[0], {5, -1});
       },
       {3, 5}},
      {"reshape of transposed", [](auto& x) { return reshape(transpose(x[0]), {-1}); }, {3, 5}},
      {"flatten", [](auto& x) { return flatten(x[0]); }, {3, 5}},
      {"transpose", [](auto& x) { return transpose(x[0], 0, 2); }, {3, 4, 5}},
      {"permute",
       [](auto& x) {
         return permute(x[0], {2, 0, 1});
       },
       {3, 4, 5}},
      {"permute by negative axes",
       [](auto& x) {
         return permute(x[0], {-1, 0, -2});
       },
       {3, 4, 5}},
      {"slice", [](auto& x) { return slice(x[0], 1, 1, -1, 2); }, {3, 7}},
      {"select", [](auto& x) { return select(x[0], 1, -1); }, {3, 4, 2}},
      {"expand",
       [](auto& x) {
         return expand(x[0], {2, 3, 4});
       },
       {3, 1}},
      {"squeeze", [](auto& x) { return squeeze(x[0], 1); }, {3, 1, 2}},
      {"unsqueeze", [](auto& x) { return unsqueeze(x[0], -1); }, {3, 2}},
  };
  for (const auto& row : table) BOOST_TEST_CONTEXT(row.name) BOOST_CHECK_NO_THROW(gradcheck(row.f, {noise(row.x)}));
}

BOOST_AUTO_TEST_CASE(contiguous_and_cast_pass_gradcheck) {
  BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return contiguous(transpose(x[0])); }, {noise({3, 2})}));
  BOOST_CHECK_NO_THROW(gradcheck([](auto& x) { return cast(x[0], x[0].dtype() == f64 ? f64 : f32); }, {noise({3, 2})}));
}

BOOST_AUTO_TEST_SUITE_END()
