// The first rung of the ladder against the engine that it explains: values and L.
#include "attention/engines/online_softmax.h"

#include <cmath>

#include "attention/engines/softmax_engine.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/elementwise.h"
#include "tensor/views.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

PlainRows rows_of(const Tensor& x) {  // (n, C)
  PlainRows rows;
  for (long i = 0; i < x.size(0); i++) rows.push_back(contiguous(cast(select(x, 0, i), f64)).to_vector<double>());
  return rows;
}

Tensor tensor_of(const PlainRows& rows, long C) {
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return from_vector(values, {long(rows.size()), C});
}

// One head of the engine and the plain loop must agree about the pairs that the mask allows.
void check_against_engine(long T, long S, const Mask& mask) {
  const long D = 5, Dv = 3;
  for (DType dtype : {f32, f64}) BOOST_TEST_CONTEXT(dtype << " T " << T << " S " << S) {
      const Tensor q = noise({T, D}, 1, dtype), k = noise({S, D}, 2, dtype), v = noise({S, Dv}, 3, dtype);
      const auto sees = [&](size_t i, size_t j) { return mask.sees({0, 0, long(i), long(j)}, T, S); };
      const PlainAttention plain = online_softmax_attention(rows_of(q), rows_of(k), rows_of(v), sees);
      const auto head = [](const Tensor& x) { return reshape(x, {1, 1, x.size(0), x.size(1)}); };
      const SoftmaxOutputs engine =
          softmax_attention({head(q), head(k), head(v)}, visible_pairs("test", mask, {}, {1, 1, T, S}));
      const double rounding = dtype == f32 ? 2e-5 : 1e-12;  // sums of products of normal numbers
      check_close(cast(reshape(contiguous(engine.o.value()), {T, Dv}), f64), tensor_of(plain.o, Dv), rounding);
      check_close(cast(reshape(engine.L.value(), {T}), f64), from_vector(plain.L, {T}), rounding);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(online_softmax_test)

BOOST_AUTO_TEST_CASE(the_engine_computes_the_same_for_tiles_and_for_few_queries) {
  for (auto [T, S] : {std::pair{1L, 1L}, {1, 130}, {4, 70}, {5, 70}, {64, 64}, {65, 130}, {130, 65}}) {
    check_against_engine(T, S, {});
    check_against_engine(T, S, causal_mask());
    check_against_engine(T, S, window_mask(20, 3));
    check_against_engine(T, S, causal_mask() & window_mask(63, -1));
  }
}

BOOST_AUTO_TEST_CASE(queries_that_see_nothing_have_zeros_and_minus_infinity_in_both) {
  Tensor allow = ones({1, 1, 70, 70}, boolean);
  fill(slice(allow, 2, 7, 9), 0);
  check_against_engine(70, 70, allow_mask(allow));
  check_against_engine(70, 30, causal_mask());  // the first 40 queries stand before the first key
  const PlainAttention none = online_softmax_attention({{1, 2}}, {{3, 4}}, {{5}}, [](size_t, size_t) { return false; });
  BOOST_TEST(none.o[0][0] == 0);
  BOOST_TEST(none.L[0] == -INFINITY);
}

BOOST_AUTO_TEST_CASE(it_equals_the_softmax_of_whole_rows) {
  const PlainRows q = rows_of(noise({4, 3}, 1)), k = rows_of(noise({6, 3}, 2)), v = rows_of(noise({6, 2}, 3));
  const PlainAttention online = online_softmax_attention(q, k, v, [](size_t, size_t) { return true; });
  for (size_t i = 0; i < q.size(); i++) {
    double total = 0, collected[2] = {0, 0};
    for (size_t j = 0; j < k.size(); j++) {
      const double e = std::exp((q[i][0] * k[j][0] + q[i][1] * k[j][1] + q[i][2] * k[j][2]) / std::sqrt(3.0));
      total += e;
      for (size_t c = 0; c < 2; c++) collected[c] += e * v[j][c];
    }
    for (size_t c = 0; c < 2; c++) BOOST_TEST(std::abs(online.o[i][c] - collected[c] / total) < 1e-14);
    BOOST_TEST(std::abs(online.L[i] - std::log(total)) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(scores_of_thousands_do_not_overflow) {
  const PlainAttention two =
      online_softmax_attention({{1}}, {{-5000}, {5000}, {4999}}, {{1}, {2}, {3}}, [](size_t, size_t) { return true; });
  const double share = 1 / (1 + std::exp(-1.0));  // of the second key; the first has none
  BOOST_TEST(std::abs(two.o[0][0] - (2 * share + 3 * (1 - share))) < 1e-12);
  BOOST_TEST(std::abs(two.L[0] - (5000 + std::log(1 + std::exp(-1.0)))) < 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
