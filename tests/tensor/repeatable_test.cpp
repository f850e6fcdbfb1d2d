// Same bits run after run and for any number of threads: the ops of the core, on odd, prime, tall and flat
// shapes, large enough to be cut into several pieces. Later ops are checked in their own tests.
#include <vector>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/adamw.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/cross_entropy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/embedding.h"
#include "tensor/ops/gather.h"
#include "tensor/ops/matmul.h"
#include "tensor/ops/reduce.h"
#include "tensor/ops/softmax.h"
#include "tensor/random.h"
#include "tensor/views.h"
#include "tests/support/compare.h"
#include "tests/support/on_threads.h"

using namespace heed;

namespace {

// f gives some tensors; they must have the same bits every time.
void check_repeatable(FunctionRef<std::vector<Tensor>()> f) {
  std::vector<Tensor> first;
  on_threads(1, [&] { first = f(); });
  for (int count : {1, 2, 3, 2})
    on_threads(count, [&] {
      const std::vector<Tensor> again = f();
      BOOST_TEST_REQUIRE(again.size() == first.size());
      for (size_t i = 0; i < first.size(); i++)
        BOOST_TEST(same_bits(first[i], again[i]), "result " << i << " differs with " << count << " threads");
    });
}

Tensor some_ids(const Shape& shape, long limit) {
  std::vector<int64_t> values(size_t(shape.numel()));
  for (size_t i = 0; i < values.size(); i++) values[i] = long(i * 2654435761u >> 7) % limit;
  return from_vector(values, shape);
}

const DType kMaths[] = {f32, f64};

}  // namespace

BOOST_AUTO_TEST_SUITE(repeatable_test)

BOOST_AUTO_TEST_CASE(matmul_has_the_same_bits_for_any_thread_count) {
  const Shape sizes[] = {{33, 257, 1000}, {1, 4099, 7},    {2053, 3, 31},  {509, 521, 503}, {7, 4099, 1}, {3, 31, 2053},
                         {1, 65537, 1},   {127, 129, 131}, {1, 300, 3001}, {3001, 300, 1},  {64, 64, 64}};
  for (DType dtype : kMaths)
    for (const Shape& s : sizes) {
      BOOST_TEST_INFO_SCOPE(s << " " << dtype);
      const Tensor a = noise({s[0], s[1]}, 1, dtype), b = noise({s[1], s[2]}, 2, dtype);
      const Tensor a_t = contiguous(transpose(a)), b_t = contiguous(transpose(b));
      check_repeatable([&] {
        return std::vector{matmul(a, b), matmul(transpose(a_t), b), matmul(a, transpose(b_t)),
                           matmul(transpose(a_t), transpose(b_t))};
      });
    }
}

BOOST_AUTO_TEST_CASE(batched_matmul_and_its_gradients_have_the_same_bits) {
  const Shape cases[][2] = {{{3, 5, 61, 37}, {5, 37, 43}},
                            {{13, 67, 71}, {71, 73}},
                            {{67, 71}, {11, 71, 5}},
                            {{2, 301, 257}, {2, 257, 33}},
                            {{300, 3, 5}, {300, 5, 7}}};
  for (DType dtype : kMaths)
    for (const auto& [sa, sb] : cases) {
      BOOST_TEST_INFO_SCOPE(sa << " " << sb << " " << dtype);
      const Tensor a = noise(sa, 1, dtype), b = noise(sb, 2, dtype), dy = noise(matmul(a, b).shape(), 3, dtype);
      check_repeatable([&] {
        return std::vector{matmul(a, b), matmul_backward_a(dy, b, sa), matmul_backward_b(dy, a, sb)};
      });
    }
}

BOOST_AUTO_TEST_CASE(reductions_have_the_same_bits) {
  for (DType dtype : kMaths)
    for (const Shape& shape : {Shape{1, 1000003, 1}, {1, 9973, 101}, {7, 16411, 3}, {4099, 17, 5}, {3, 2, 70001}}) {
      const Tensor x = noise(shape, 1, dtype), dy = noise({shape[0], shape[2]}, 2, dtype);
      check_repeatable([&] {
        const MaxResult top = max_with_indices(x, {1});
        return std::vector{sum(x),
                           sum(x, {1}),
                           sum(x, {0, 2}),
                           mean(x, {0}),
                           top.values,
                           top.indices,
                           max_backward(dy, top.indices, shape, {1}),
                           sum_to(x, {shape[1], 1})};
      });
    }
}

BOOST_AUTO_TEST_CASE(softmax_and_cross_entropy_have_the_same_bits) {
  for (DType dtype : kMaths)
    for (const Shape& shape : {Shape{257, 513}, {1, 100003}, {50021, 3}}) {
      const Tensor x = noise(shape, 1, dtype), dy = noise(shape, 2, dtype), targets = some_ids({shape[0]}, shape[1]);
      check_repeatable([&] {
        const Tensor y = softmax(x);
        return std::vector{y, softmax(x, 0), softmax_backward(dy, y), cross_entropy(x, targets),
                           cross_entropy_backward(scalar(1, dtype), x, targets)};
      });
    }
}

BOOST_AUTO_TEST_CASE(lookups_and_their_gradients_with_repeated_ids_have_the_same_bits) {
  for (DType dtype : kMaths) {
    const Tensor table = noise({11, 333}, 1, dtype), ids = some_ids({3, 701}, 11), dy = noise({3, 701, 333}, 2, dtype);
    const Tensor x = noise({5, 13, 1021}, 3, dtype), picks = some_ids({5, 97, 1021}, 13);
    const Tensor dp = noise({5, 97, 1021}, 4, dtype);
    check_repeatable([&] {
      return std::vector{embedding(table, ids), embedding_backward(dy, ids, 11), gather(x, 1, picks),
                         gather_backward(dp, 1, picks, x.shape())};
    });
  }
}

BOOST_AUTO_TEST_CASE(elementwise_ops_have_the_same_bits) {
  for (DType dtype : kMaths) {
    const Tensor a = noise({211, 503}, 1, dtype), b = noise({503}, 2, dtype),
                 dy = transpose(noise({503, 211}, 3, dtype));
    check_repeatable([&] {
      std::vector<Tensor> all;
#define LINE(name, ...) all.push_back(name(a)), all.push_back(name##_backward(dy, a, all.back()));
      HEED_UNARY_TABLE(LINE)
#undef LINE
#define LINE(name, ...)                                                              \
  all.push_back(name(a, b)), all.push_back(name##_backward_a(dy, a, b, all.back())), \
      all.push_back(name##_backward_b(dy, a, b, name(a, b)));
      HEED_BINARY_TABLE(LINE)
#undef LINE
      all.push_back(clone(a));
      add_into(all.back(), dy);
      all.push_back(cast(dy, bf16));
      all.push_back(contiguous(dy));
      all.push_back(concatenate({a, dy, a}, 0));
      return all;
    });
  }
}

BOOST_AUTO_TEST_CASE(adamw_has_the_same_bits) {
  for (DType dtype : kMaths)
    check_repeatable([&] {
      const Tensor w = noise({100003}, 1, dtype), m = zeros({100003}, dtype), v = zeros({100003}, dtype);
      for (long step = 1; step <= 3; step++)
        adamw_into(w, m, v, noise({100003}, uint32_t(step), dtype), {.step = step});
      return std::vector{w, m, v};
    });
}

BOOST_AUTO_TEST_CASE(random_numbers_have_the_same_bits) {
  for (DType dtype : kMaths)
    check_repeatable([&] {
      const RandomKey key{.seed = 1, .step = 2, .site = 3, .sample = 4};
      return std::vector{uniform({100003}, key, -1, 1, dtype), normal({100003}, key, 0, 1, dtype),
                         randn({99, 1001}, 5, dtype), keep_mask({7, 101, 333}, key, 0.1)};
    });
}

BOOST_AUTO_TEST_SUITE_END()
