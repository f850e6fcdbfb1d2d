// MaskedTokens on a small model: what may not leak does not, to the bit; and MLM and PLM are MPNet with parts hidden.
#include "models/objectives/masked_tokens.h"

#include "autograd/finite.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "models/objectives/masked_columns.h"
#include "tensor/allocator.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/cross_entropy.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/models/small_model.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(masked_tokens_test)

namespace {

constexpr long kV = 11, kTokens = 9, kPredicted = 4;
constexpr int64_t kMask = kV;

struct Kind {
  const char *positions, *attention;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.positions << " positions, " << kind.attention;
}
const std::vector<Kind> kKinds = {{"learned", "full"},         {"sinusoid", "full"},
                                  {"rotary", "full"},          {"none", "full:bias=t5"},
                                  {"learned", "full:bias=t5"}, {"learned", "full:bias=alibi"}};

MaskedLmOptions options_of(const Kind& kind) {
  return {.V = kV,
          .stack = {.C = 16, .heads = 2, .ordering = "sfsf", .attention = kind.attention, .max_length = 20},
          .positions = kind.positions};
}

struct Model {
  MaskedLm lm;
  MaskedTokens objective{lm};
  Context ctx;
  explicit Model(const Kind& kind = kKinds[4]) : lm(options_of(kind)) {
    shake(lm);
    lm.cast_parameters(f64);
  }
  Tensor logits(const Batch& batch) {
    ctx.begin(0);
    return objective.logits(batch, ctx).value();
  }
};

// Two texts; all copies are [MASK], so that nothing is given away by design.
std::vector<MaskedText> texts(uint32_t change_at = 1000) {
  std::vector<MaskedText> all;
  for (uint32_t row = 0; row < 2; row++) {
    MaskedText text{.order = drawn_factorisation(kTokens, 0.45, {.site = 3, .sample = row})};
    for (long p = 0; p < kTokens; p++) text.ids.push_back((3 * p + row) % kV);
    if (change_at < kPredicted) {
      int64_t& id = text.ids[size_t(text.order.predicted[change_at])];
      id = (id + 1) % kV;
    }
    text.copies.assign(kPredicted, kMask);
    all.push_back(text);
  }
  return all;
}

Batch with_ranges(Batch batch, const std::vector<int64_t>& one_row) {
  const Tensor row = reshape(from_vector(one_row, {long(one_row.size())}), {1, batch.inputs.size(1), 2});
  batch.ranges = concatenate({row, row}, 0);
  return batch;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_new_model_knows_nothing) {
  MaskedLm lm(options_of(kKinds[0]));
  MaskedTokens objective(lm);
  Context ctx;
  const Batch batch = masked_batch(Masking::mpnet, texts(), kMask);
  const double loss = objective.summed_loss(batch, {}, ctx).item() / double(batch.counted);
  BOOST_TEST(std::abs(loss - std::log(double(kV))) < 0.1);
  BOOST_TEST((objective.logits(batch, ctx).shape() == Shape{2, kPredicted, kV}));  // [MASK] is none of them
}

// The input vectors, not the table: where a token stands twice its table row would get both gradients.
BOOST_DATA_TEST_CASE(no_gradient_reaches_a_token_that_is_not_yet_known, data::make({"plm", "mpnet"}), name) {
  const Masking masking = masking_of(name);
  const Batch batch = masked_batch(masking, texts(), kMask);
  Stack stack({.C = 16, .heads = 2, .ordering = "sfsf", .attention = "full:bias=t5", .max_length = 20});
  shake(stack);
  const long T = batch.inputs.size(1), first = T - 2 * kPredicted;  // of the columns T_0 ..
  const Tokens tokens{.positions = batch.positions};
  for (long i = 0; i < kPredicted; i++) {
    Context ctx;
    const Variable x = Variable::leaf(randn({2, T, 16}, 5));
    const Variable h = stack.forward(x, {.mask = range_mask(batch.ranges), .tokens = &tokens}, ctx);
    sum(select(h, 1, first + kPredicted + i) * Variable(randn({2, 16}, 6))).backward();
    const Tensor dx = sum(x.grad() * x.grad(), {0, 2});
    for (long j = 0; j < kPredicted; j++) {
      BOOST_TEST((dx.at({first + j}) == 0) == (j >= i), "query " << i << ", token " << j);
      BOOST_TEST((dx.at({first + kPredicted + j}) == 0) == (j != i), "nobody sees another query");
    }
  }
}

BOOST_DATA_TEST_CASE(a_changed_token_changes_only_what_is_predicted_behind_it, data::make(masking_names()), name) {
  const Masking masking = masking_of(name);
  Model model;
  const Tensor usual = model.logits(masked_batch(masking, texts(), kMask));
  for (uint32_t j = 0; j < kPredicted; j++) {
    const Tensor changed = model.logits(masked_batch(masking, texts(j), kMask));
    for (long i = 0; i < kPredicted; i++) {
      const bool same = same_bits(contiguous(select(usual, 1, i)), contiguous(select(changed, 1, i)));
      BOOST_TEST(same == (masking == Masking::mlm || i <= long(j)), "logits " << i << ", token " << j);
    }
  }
}

BOOST_DATA_TEST_CASE(mlm_is_mpnet_with_copies_in_place_of_all_predicted_tokens, data::make(kKinds), kind) {
  Model model(kind);
  const Tensor mlm = model.logits(masked_batch(Masking::mlm, texts(), kMask));
  Batch mpnet = masked_batch(Masking::mpnet, texts(), kMask);
  std::vector<int64_t> ranges;  // no row sees T
  for (long t = 0; t < mpnet.inputs.size(1); t++) ranges.insert(ranges.end(), {0, kTokens - 1});
  check_close(model.logits(with_ranges(mpnet, ranges)), mlm, 1e-12);
  std::vector<int64_t> copies;  // and its content stream has it already
  for (long row = 0; row < 2; row++)
    for (long i = 0; i < kPredicted; i++) copies.push_back(i);
  mpnet.read = from_vector(copies, {2, kPredicted});
  check_close(model.logits(mpnet), mlm, 1e-12);
}

BOOST_DATA_TEST_CASE(plm_is_mpnet_without_copies, data::make(kKinds), kind) {
  Model model(kind);
  const Tensor plm = model.logits(masked_batch(Masking::plm, texts(), kMask));
  Batch mpnet = masked_batch(Masking::mpnet, texts(), kMask);
  const Shape columns{1, mpnet.inputs.size(1)};
  const Tensor behind = stack({full(columns, kPredicted, i64), full(columns, 1000, i64)}, 2);
  mpnet.ranges = (range_mask(mpnet.ranges) & range_mask(behind)).ranges;
  check_close(model.logits(mpnet), plm, 1e-12);
}

BOOST_DATA_TEST_CASE(with_one_predicted_token_mpnet_is_mlm, data::make(kKinds), kind) {
  Model model(kind);
  std::vector<MaskedText> some = texts();
  for (MaskedText& text : some) {
    text.order = drawn_factorisation(kTokens, 0.1, {.site = 4});
    text.copies = {kMask};
  }
  check_close(model.logits(masked_batch(Masking::mpnet, some, kMask)),
              model.logits(masked_batch(Masking::mlm, some, kMask)), 1e-12);
}

BOOST_AUTO_TEST_CASE(the_order_of_unpredicted_columns_does_not_matter) {
  Model model;
  std::vector<MaskedText> moved = texts();
  for (MaskedText& text : moved) std::reverse(text.order.visible.begin(), text.order.visible.end());
  check_close(model.logits(masked_batch(Masking::mpnet, moved, kMask)),
              model.logits(masked_batch(Masking::mpnet, texts(), kMask)), 1e-12);
}

BOOST_DATA_TEST_CASE(a_text_in_a_batch_is_what_it_is_alone, data::make(masking_names()), name) {
  const Masking masking = masking_of(name);
  Model model;
  std::vector<MaskedText> both = texts();
  both[0] = {.ids = {4, 5, 6}, .order = {.visible = {0, 2}, .predicted = {1}}, .copies = {kMask}};
  const Tensor together = model.logits(masked_batch(masking, both, kMask));
  const Tensor alone = model.logits(masked_batch(masking, {both[0]}, kMask));
  check_close(slice(select(together, 0, 0), 0, 0, 1), select(alone, 0, 0), 1e-12);
  Context ctx;
  const Batch batch = masked_batch(masking, both, kMask);
  double sum = 0;  // of both alone
  for (const MaskedText& text : both)
    sum += model.objective.summed_loss(masked_batch(masking, {text}, kMask), {}, ctx).item();
  BOOST_TEST(std::abs(model.objective.summed_loss(batch, {}, ctx).item() - sum) < 1e-9);
}

// Tokens of another document change nothing.
BOOST_DATA_TEST_CASE(documents_do_not_see_each_other, data::make(masking_names()), name) {
  const Masking masking = masking_of(name);
  Model model;
  MaskedText text{.ids = {1, 2, 3, 4, 5, 6},
                  .order = {.visible = {0, 2, 3, 5}, .predicted = {4, 1}},
                  .copies = {kMask, kMask},
                  .segments = {0, 0, 0, 1, 1, 1}};
  const Tensor usual = model.logits(masked_batch(masking, {text}, kMask));
  text.ids[0] = 7;
  const Tensor changed = model.logits(masked_batch(masking, {text}, kMask));
  BOOST_TEST(same_bits(contiguous(select(usual, 1, 0)), contiguous(select(changed, 1, 0))));
  BOOST_TEST(!same_bits(contiguous(select(usual, 1, 1)), contiguous(select(changed, 1, 1))));
}

BOOST_AUTO_TEST_CASE(the_loss_has_gradients_for_every_parameter_and_none_where_nothing_is_read) {
  Model model;
  Context ctx;
  model.objective.summed_loss(masked_batch(Masking::mpnet, texts(), kMask), {}, ctx).backward();
  for (const Parameter* p : model.lm.parameters()) {
    BOOST_REQUIRE(p->value.grad().defined());
    BOOST_TEST(all_finite(p->value.grad()));
  }
  Batch none = masked_batch(Masking::mlm, texts(), kMask);
  none.targets = full(none.targets.shape(), double(kNoTarget), i64);
  BOOST_TEST(model.objective.summed_loss(none, {}, ctx).item() == 0);
}

// A whole forward of the model, too: no (T, S) matrix exists.
BOOST_AUTO_TEST_CASE(an_encoder_under_the_mask_takes_memory_that_grows_with_n) {
  const auto peak = [](long n) {
    MaskedLm lm({.V = kV, .stack = {.C = 8, .heads = 1, .ordering = "sf", .max_length = n}, .positions = "none"});
    MaskedTokens objective(lm);
    const MaskedText text{.ids = std::vector<int64_t>(size_t(n), 1),
                          .order = drawn_factorisation(n, 0.15, {.site = 1}),
                          .copies = std::vector<int64_t>(size_t(predicted_count(n, 0.15)), kMask)};
    const NoGrad no_grad;
    const size_t before = memory_stats().live;
    reset_peak();
    Context ctx;
    objective.logits(masked_batch(Masking::mpnet, {text}, kMask), ctx);
    return double(memory_stats().peak - before);
  };
  BOOST_TEST(peak(4096) < 2.3 * peak(2048));
  BOOST_TEST(peak(4096) < 8e6);  // a byte for every pair would be 28 MB
}

BOOST_AUTO_TEST_CASE(a_window_of_the_schedule_is_refused) {
  Model model;
  BOOST_TEST(
      error_of([&] {
        model.objective.summed_loss(masked_batch(Masking::mlm, texts(), kMask), {.hidden = window_mask(4, 0)},
                                    model.ctx);
      }) ==
      "masked_tokens: a phase of the schedule has a window; columns do not stand in the order of the text. Leave "
      "it away");
  BOOST_TEST(error_of([&] {
               model.lm.forward(zeros({1, 2}, i64), {}, model.ctx);
             }).starts_with("masked_lm: the columns that are read are "));
}

BOOST_AUTO_TEST_SUITE_END()
