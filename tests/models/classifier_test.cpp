#include "models/classifier.h"

#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/elementwise.h"
#include "tensor/create.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(classifier_test)

BOOST_AUTO_TEST_CASE(a_padded_batch_is_classified_as_each_sample_alone) {
  for (const auto& [pool, positions] : {std::pair{"mean", "learned"}, {"cls", "learned"}, {"mean", "rotary"}}) {
    Classifier model({.V = 11, .classes = 3, .stack = small(), .positions = positions, .pool = pool});
    shake(model);
    Context ctx;
    const Tensor ids = some_ids(2, 12);
    const Tensor both = model.forward(ids, tensor({12, 5}, i64), ctx).value();
    BOOST_TEST(both.shape() == (Shape{2, 3}));
    const Tensor alone = model.forward(slice(slice(ids, 0, 1, 2), 1, 0, 5), {}, ctx).value();
    check_close(slice(both, 0, 1, 2), alone, kRounding);
    check_close(slice(both, 0, 0, 1), model.forward(slice(ids, 0, 0, 1), tensor({12}, i64), ctx).value(), kRounding);
  }
  Encoder encoder({.V = 11, .stack = small()});
  Context ctx;
  check_close(encoder.pooled(some_ids(1, 4), tensor({0}, i64), ctx).value(), zeros({1, small().C}), 0);
  BOOST_TEST(error_of([] { Classifier model({.stack = small(), .pool = "man"}); }) ==
             "encoder: there is no pool 'man'; there are mean, cls. Did you mean mean?");
}

BOOST_AUTO_TEST_CASE(two_towers_read_two_texts_of_different_lengths) {
  TwoTower model({.V = 11, .classes = 2, .stack = small("sf")});
  Context ctx;
  const Variable logits = model.forward(some_ids(3, 9), {}, some_ids(3, 4), tensor({4, 2, 1}, i64), ctx);
  BOOST_TEST(logits.shape() == (Shape{3, 2}));
  cross_entropy(logits, tensor({0, 1, 1}, i64)).backward();
  for (Parameter* p : model.parameters()) BOOST_TEST(p->value.grad().defined(), p->path);
}

BOOST_AUTO_TEST_SUITE_END()
