#include "attention/heads.h"

#include "attention/engines/softmax_engine.h"
#include "autograd/ops/elementwise.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(heads_test)

BOOST_AUTO_TEST_CASE(every_head_of_keys_serves_as_many_heads_of_queries_side_by_side) {
  const Tensor x = noise({2, 2, 3, 4}, 1), all = for_all_heads(x, 6).value();
  BOOST_TEST(all.shape() == (Shape{2, 6, 3, 4}));
  for (int h = 0; h < 6; h++) check_close(contiguous(select(all, 1, h)), contiguous(select(x, 1, h / 3)), 0);
  BOOST_TEST(for_all_heads(x, 2).value().data<double>() == x.data<double>());  // as many already: no copy
}

BOOST_AUTO_TEST_CASE(joined_heads_lie_side_by_side_in_the_row_of_their_token) {
  const Tensor rows = noise({2, 5, 12}, 1);  // 3 heads of 4 channels
  const Tensor o = transpose(reshape(rows, {2, 5, 3, 4}), 1, 2);
  check_close(joined_heads(o).value(), rows, 0);
  BOOST_TEST(joined_heads(o).value().data<double>() == rows.data<double>());
  check_close(joined_heads(contiguous(o)).value(), rows, 0);
}

BOOST_AUTO_TEST_CASE(groups_of_heads_attend_each_by_itself_and_draw_as_in_the_whole) {
  const long n = 70;
  for (long Hk : {6, 3}) {
    const SoftmaxOptions options{.dropout = 0.4, .key = {.seed = 1, .step = 2, .site = 3, .sample = 4}};
    const auto attend = [&](const Heads& part, long first_head) {
      SoftmaxOptions own = options;
      own.first_head = first_head;
      const Visible visible = visible_pairs("test", causal_mask(), {}, {2, part.q.size(1), n, n});
      return softmax_attention({part.q, part.k, part.v}, visible, own).o;
    };
    const auto run = [&](const std::vector<long>& sizes) {
      std::vector<Variable> x;
      for (uint32_t i : {1, 2, 3}) x.push_back(Variable::leaf(noise({2, i == 1 ? 6 : Hk, n, 4}, i, f32)));
      const Variable o = by_head_groups({x[0], x[1], x[2]}, sizes, attend);
      (o * Variable(noise(o.shape(), 5, f32))).backward(full(o.shape(), 1));
      return std::vector<Tensor>{o.value(), x[0].grad(), x[1].grad(), x[2].grad()};
    };
    const auto whole = run({6}), parts = run({2, 4}), pairs = run({2, 2, 2});
    for (size_t i = 0; i < whole.size(); i++) {
      check_close(parts[i], whole[i], i == 0 ? 0 : 1e-6);
      check_close(pairs[i], whole[i], i == 0 ? 0 : 1e-6);
    }
    BOOST_TEST(joined_heads(parts[0]).value().data<float>() == parts[0].data<float>());  // no copy
  }
}

BOOST_AUTO_TEST_CASE(groups_that_do_not_fit_the_heads_are_refused) {
  const Variable q = zeros({1, 4, 2, 3}), k = zeros({1, 2, 2, 3});
  const auto error_for = [&](const std::vector<long>& sizes) {
    return error_of([&] { by_head_groups({q, k, k}, sizes, nullptr); });
  };
  BOOST_TEST(error_for({2, 1}) ==
             "by_head_groups: the groups have 2 + 1 = 3 heads and there are 4; each must have at least 1, and "
             "together they must have all");
  BOOST_TEST(error_for({4, 0}).find("each must have at least 1") != std::string::npos);
  BOOST_TEST(error_for({1, 3}) ==
             "by_head_groups: the groups have 1 + 3 heads, and each of the 2 heads of keys serves 2 heads of queries; "
             "the size of a group must be a multiple of that");
}

BOOST_AUTO_TEST_CASE(a_mask_of_some_heads_has_their_pairs) {
  const Tensor by_head = greater(noise({2, 4, 3, 3}, 1), scalar(0, f64));
  check_close(cast(contiguous(mask_of_heads(allow_mask(by_head), 1, 3).allow), f64),
              cast(contiguous(slice(by_head, 1, 1, 3)), f64), 0);
  const Tensor alike = greater(noise({3, 3}, 1), scalar(0, f64));
  BOOST_TEST(mask_of_heads(causal_mask() & allow_mask(alike), 1, 3).allow.shape() == (Shape{3, 3}));
  BOOST_TEST(mask_of_heads(causal_mask(), 1, 3).causal);
}

BOOST_AUTO_TEST_SUITE_END()
