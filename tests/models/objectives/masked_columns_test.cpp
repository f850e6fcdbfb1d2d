// Masked columns: who sees whom in the three objectives, against the rules of the papers pair by pair, and the batches
// that are made of them.
#include "models/objectives/masked_columns.h"

#include <algorithm>
#include <set>

#include "nn/mixing/mask.h"
#include "tensor/allocator.h"
#include "tensor/ops/cross_entropy.h"
#include "tests/support/error_of.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(masked_columns_test)

namespace {

using Kind = Column::Kind;

// The rules, one pair at a time: i and j count the predicted tokens in their order.
bool sees(Masking masking, const Column& row, const Column& key) {
  const long i = row.predicted, j = key.predicted;
  const bool copies = masking != Masking::plm;
  if (key.kind == Kind::query) return false;
  if (key.kind == Kind::visible) return true;
  switch (row.kind) {
    case Kind::query: return key.kind == Kind::token ? j < i : copies && j >= i;
    case Kind::token: return key.kind == Kind::token ? j <= i : copies && j > i;
    default: return key.kind == Kind::copy;
  }
}

Factorisation some(long n, long b, uint32_t sample) {
  Factorisation order = drawn_factorisation(n, 0.5, {.site = 1, .sample = sample});
  std::vector<long> all = order.predicted;
  all.insert(all.end(), order.visible.begin(), order.visible.end());
  order.predicted.assign(all.begin(), all.begin() + b);
  order.visible.assign(all.begin() + b, all.end());
  std::sort(order.visible.begin(), order.visible.end());
  return order;
}

std::string rows_of(const Columns& columns, const std::vector<size_t>& rows, const std::vector<size_t>& keys) {
  std::string text;
  for (const size_t row : rows) {
    for (const size_t key : keys)
      text += long(key) >= columns.all[row].first && long(key) <= columns.all[row].last ? '1' : '0';
    text += ' ';
  }
  return text;
}

MaskedText text_of(const std::vector<int64_t>& ids, const Factorisation& order, int64_t copy) {
  return {.ids = ids, .order = order, .copies = std::vector<int64_t>(order.predicted.size(), copy)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_ranges_are_the_rules_of_the_papers_for_all_sizes) {
  for (const Masking masking : {Masking::mlm, Masking::plm, Masking::mpnet})
    for (long n = 2; n <= 9; n++)
      for (long b = 1; b < n; b++) {
        const Columns columns = columns_of(masking, some(n, b, uint32_t(n)));
        BOOST_TEST(columns.read.size() == size_t(b));
        for (const Column& row : columns.all)
          for (long key = 0; key < long(columns.all.size()); key++) {
            const bool seen = key >= row.first && key <= row.last;
            BOOST_TEST(seen == sees(masking, row, columns.all[size_t(key)]), "n " << n << " b " << b);
          }
      }
}

BOOST_AUTO_TEST_CASE(every_row_of_mpnet_sees_each_position_exactly_once) {
  for (long n = 2; n <= 12; n++)
    for (long b = 1; b < n; b++) {
      const Columns columns = columns_of(Masking::mpnet, some(n, b, 5));
      BOOST_TEST(columns.all.size() == size_t(n + 2 * b));
      for (const Column& row : columns.all) {
        std::set<long> positions;
        for (long key = row.first; key <= row.last; key++) positions.insert(columns.all[size_t(key)].position);
        BOOST_TEST(row.last - row.first + 1 == n);
        BOOST_TEST(long(positions.size()) == n);
      }
    }
}

// The order (1, 3, 5 | 4, 6, 2), as the paper has it; columns are shown as U | T | K.
BOOST_AUTO_TEST_CASE(the_worked_example_of_six_tokens) {
  const Factorisation order{.visible = {0, 2, 4}, .predicted = {3, 5, 1}};
  const Columns columns = columns_of(Masking::mpnet, order);
  const std::vector<size_t> keys = {3, 4, 5, 6, 7, 8, 0, 1, 2};
  BOOST_TEST(rows_of(columns, {9, 10, 11}, keys) == "111000111 111100011 111110001 ");
  BOOST_TEST(rows_of(columns, {3, 4, 5, 6, 7, 8, 0, 1, 2}, keys) ==
             "111000111 111000111 111000111 111100011 111110001 111111000 111000111 111000111 111000111 ");
  const Columns permuted = columns_of(Masking::plm, order);
  const std::vector<size_t> there = {0, 1, 2, 3, 4, 5};
  BOOST_TEST(rows_of(permuted, {6, 7, 8}, there) == "111000 111100 111110 ");
  BOOST_TEST(rows_of(permuted, there, there) == "111000 111000 111000 111100 111110 111111 ");
}

// XLNet's own rule by ranks, n = 4, tokens 4 and then 2 predicted: unpredicted rows see unpredicted ones alone.
BOOST_AUTO_TEST_CASE(the_permuted_example_of_four_tokens) {
  const Columns columns = columns_of(Masking::plm, {.visible = {0, 2}, .predicted = {3, 1}});
  const std::vector<size_t> by_position = {0, 3, 1, 2};
  BOOST_TEST(rows_of(columns, {5, 4}, by_position) == "1011 1010 ");  // queries of tokens 2 and 4
  BOOST_TEST(rows_of(columns, by_position, by_position) == "1010 1111 1010 1011 ");
}

BOOST_AUTO_TEST_CASE(a_batch_holds_tokens_copies_and_positions_column_by_column) {
  const Factorisation order{.visible = {0, 2}, .predicted = {3, 1}};
  MaskedText text = text_of({10, 11, 12, 13}, order, 99);
  text.copies = {99, 7};
  const Batch mpnet = masked_batch(Masking::mpnet, {text}, 99);
  BOOST_TEST((mpnet.inputs.to_vector<int64_t>() == std::vector<int64_t>{99, 7, 10, 12, 13, 11, 99, 7}));
  BOOST_TEST((mpnet.positions.to_vector<int64_t>() == std::vector<int64_t>{3, 1, 0, 2, 3, 1, 3, 1}));
  BOOST_TEST(
      (mpnet.ranges.to_vector<int64_t>() == std::vector<int64_t>{0, 3, 0, 3, 0, 3, 0, 3, 1, 4, 2, 5, 0, 3, 1, 4}));
  BOOST_TEST((mpnet.read.to_vector<int64_t>() == std::vector<int64_t>{6, 7}));
  BOOST_TEST((mpnet.targets.to_vector<int64_t>() == std::vector<int64_t>{13, 11}));
  const Batch plm = masked_batch(Masking::plm, {text}, 99);  // its queries hold nothing but [MASK]
  BOOST_TEST((plm.inputs.to_vector<int64_t>() == std::vector<int64_t>{10, 12, 13, 11, 99, 99}));
  const Batch mlm = masked_batch(Masking::mlm, {text}, 99);
  BOOST_TEST((mlm.inputs.to_vector<int64_t>() == std::vector<int64_t>{10, 7, 12, 99}));
  BOOST_TEST((mlm.read.to_vector<int64_t>() == std::vector<int64_t>{3, 1}));
  BOOST_TEST(!mlm.ranges.defined());
  BOOST_TEST(!mlm.positions.defined());
  for (const Batch* batch : {&mpnet, &plm, &mlm}) {
    BOOST_TEST(batch->counted == 2);
    BOOST_TEST(!batch->lengths.defined());
    BOOST_TEST(!batch->segments.defined());
  }
}

BOOST_AUTO_TEST_CASE(shorter_texts_are_filled_up_with_columns_that_nobody_sees) {
  const MaskedText longer = text_of({1, 2, 3, 4}, {.visible = {0}, .predicted = {1, 3, 2}}, 9);
  const MaskedText shorter = text_of({5, 6}, {.visible = {1}, .predicted = {0}}, 9);
  const Batch batch = masked_batch(Masking::mpnet, {shorter, longer}, 9);
  BOOST_TEST((batch.inputs.shape() == Shape{2, 10}));
  BOOST_TEST((batch.lengths.to_vector<int64_t>() == std::vector<int64_t>{4, 10}));
  BOOST_TEST((batch.read.to_vector<int64_t>() == std::vector<int64_t>{3, -1, -1, 7, 8, 9}));
  BOOST_TEST((batch.targets.to_vector<int64_t>() == std::vector<int64_t>{5, kNoTarget, kNoTarget, 2, 4, 3}));
  BOOST_TEST(batch.counted == 4);
  const Tensor seen = range_mask(batch.ranges).dense(2, 1, 10, 10);
  for (long i = 4; i < 10; i++)
    for (long j = 0; j < 10; j++) {
      BOOST_TEST(seen.at({0, 0, i, j}) == 0);
      BOOST_TEST(seen.at({0, 0, j, i}) == 0);
    }
}

BOOST_AUTO_TEST_CASE(segments_go_with_their_tokens) {
  MaskedText text = text_of({1, 2, 3}, {.visible = {0, 2}, .predicted = {1}}, 9);
  text.segments = {0, 0, 1};
  BOOST_TEST(
      (masked_batch(Masking::mpnet, {text}, 9).segments.to_vector<int64_t>() == std::vector<int64_t>{0, 0, 1, 0, 0}));
}

// 8 numbers of 8 bytes or fewer for each column, whatever n is; one byte for every pair would be 28 MB.
BOOST_AUTO_TEST_CASE(masks_of_4096_tokens_take_memory_that_grows_with_n) {
  const auto peak = [](long n) {
    const std::vector<int64_t> ids(size_t(n), 1);
    const Factorisation order = drawn_factorisation(n, 0.15, {.site = 1});
    const size_t before = memory_stats().live;
    reset_peak();
    const Batch batch = masked_batch(Masking::mpnet, {text_of(ids, order, 9)}, 9);
    const Mask mask = range_mask(batch.ranges);
    mask.check("test", 1, 1, batch.inputs.size(1), batch.inputs.size(1));
    return double(memory_stats().peak - before);
  };
  BOOST_TEST(peak(4096) < 2.2 * peak(2048));
  BOOST_TEST(peak(4096) < 8 * 8 * 1.3 * 4096 + 4096);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_said) {
  BOOST_TEST(error_of([] { masked_batch(Masking::mlm, {}, 9); }) == "masked_columns: there is no text");
  MaskedText text = text_of({1, 2, 3}, {.visible = {0}, .predicted = {1}}, 9);
  BOOST_TEST(
      error_of([&] { masked_batch(Masking::mlm, {text}, 9); }) ==
      "masked_columns: a text has 3 tokens, and its factorisation 1 seen and 1 predicted ones, of which 1 have a "
      "copy");
  text.ids = {1, 2}, text.segments = {0};
  BOOST_TEST(error_of([&] { masked_batch(Masking::mlm, {text}, 9); }) ==
             "masked_columns: a text has 2 tokens, and 1 of them have a segment");
  BOOST_TEST(error_of([] { masking_of("mpnt"); }).find("mpnet") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
