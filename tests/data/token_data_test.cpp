// Token data: which windows are drawn, and that an evaluation counts every token once.
#include "data/token_data.h"

#include <cmath>
#include <set>

#include "tensor/copy.h"
#include "tensor/views.h"
#include "tests/support/error_of.h"
#include "tests/support/pair_vocabulary.h"
#include "tests/support/tiny_lm.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(token_data_test)

namespace {

std::string counting(long n) {
  std::string text;
  for (long i = 0; i < n; i++) text += char(1 + (i * 7 + i / 255) % 255);  // no zero: it is text
  return text;
}

using Numbers = std::vector<int64_t>;
Numbers numbers(const Tensor& x) { return x.to_vector<int64_t>(); }

bool same(const TokenBatch& a, const TokenBatch& b) {
  return numbers(a.inputs) == numbers(b.inputs) && numbers(a.targets) == numbers(b.targets) && a.counted == b.counted;
}

// Each byte as a token with a number too large for two bytes; and what goes wrong in a vocabulary that is wrong.
class FarVocabulary : public Vocabulary {
 public:
  std::string kind() const override { return "far"; }
  long size() const override { return kFirst + 256; }
  std::string_view bytes(int64_t id) const override { return byte_vocabulary()->bytes(id - kFirst); }
  void encode(std::string_view text, FunctionRef<void(int64_t id)> take) const override {
    for (const char c : text)
      if (c != lost) take(c == strange ? size() : kFirst + uint8_t(c));
  }
  std::string saved() const override { return ""; }

  static constexpr long kFirst = 100'000;
  char lost = 0, strange = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(targets_are_the_bytes_behind_the_inputs) {
  const std::vector<std::string> texts = {counting(5000)};
  const TokenBatch batch = TokenSplit(split_of(texts)).batch(1, 2, 0, 4, 50);
  BOOST_TEST((batch.inputs.shape() == Shape{4, 50}));
  BOOST_TEST(!batch.segments.defined());
  BOOST_TEST(batch.counted == 200);
  for (long b = 0; b < 4; b++) {
    std::string row;
    for (long t = 0; t < 50; t++) row += char(batch.inputs.at({b, t}));
    row += char(batch.targets.at({b, 49}));
    BOOST_TEST(texts[0].find(row) != std::string::npos);
    for (long t = 0; t < 49; t++) BOOST_TEST(batch.targets.at({b, t}) == batch.inputs.at({b, t + 1}));
  }
}

BOOST_AUTO_TEST_CASE(micro_batches_draw_what_one_batch_draws_and_steps_draw_anew) {
  const std::vector<std::string> texts = {counting(5000)};
  const TokenSplit split = split_of(texts);
  const Numbers whole = numbers(split.batch(7, 3, 0, 6, 20).inputs);
  Numbers parts;
  for (const uint32_t first : {0u, 2u, 4u})
    for (const int64_t id : numbers(split.batch(7, 3, first, 2, 20).inputs)) parts.push_back(id);
  BOOST_TEST((whole == parts));
  BOOST_TEST((whole == numbers(split.batch(7, 3, 0, 6, 20).inputs)));
  BOOST_TEST((whole != numbers(split.batch(7, 4, 0, 6, 20).inputs)));
  BOOST_TEST((whole != numbers(split.batch(8, 3, 0, 6, 20).inputs)));
}

// A run that is resumed with a later version draws on as it began.
BOOST_AUTO_TEST_CASE(a_seed_draws_what_it_always_drew) {
  const std::vector<std::string> texts = {counting(5000)};
  const TokenSplit split = split_of(texts);
  BOOST_TEST((numbers(split.batch(1, 1, 0, 6, 1).inputs) == Numbers{243, 56, 62, 184, 90, 16}));
  BOOST_TEST((numbers(split.batch(7, 900, 3, 2, 3).inputs) == Numbers{196, 203, 210, 33, 40, 47}));
}

BOOST_AUTO_TEST_CASE(every_place_is_drawn_equally_often) {
  const std::string text = "abcdefghijk";  // ten places for a window of two bytes
  const std::vector<std::string> texts = {text};
  std::vector<long> drawn(10);
  for (const int64_t id : numbers(TokenSplit(split_of(texts)).batch(1, 1, 0, 20'000, 1).inputs))
    drawn.at(size_t(id - 'a'))++;
  for (const long count : drawn) BOOST_TEST(std::abs(count - 2000) < 5 * std::sqrt(1800.0));  // five deviations
}

BOOST_AUTO_TEST_CASE(no_target_crosses_a_border_of_documents) {
  const std::vector<std::string> texts = {"abc", "d", "efgh"};
  const TokenBatch batch = TokenSplit(split_of(texts)).windows_at({0, 2}, {0, 0}, 7);
  BOOST_TEST((numbers(batch.inputs) == Numbers{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'c', 'd', 'e', 'f', 'g', 'h', 0}));
  BOOST_TEST((numbers(batch.targets) == Numbers{'b', 'c', -1, -1, 'f', 'g', 'h', -1, -1, 'f', 'g', 'h', -1, -1}));
  BOOST_TEST((numbers(batch.segments) == Numbers{0, 0, 0, 1, 2, 2, 2, 0, 1, 2, 2, 2, 2, 2}));
  BOOST_TEST(batch.counted == 8);
}

BOOST_AUTO_TEST_CASE(an_evaluation_counts_every_byte_but_the_first_of_each_document_once) {
  for (const std::vector<std::string>& texts : {std::vector<std::string>{counting(97)},
                                                {counting(64)},
                                                {counting(65)},
                                                {counting(2)},
                                                {"ab", "c", counting(50)},
                                                {counting(30), counting(31), counting(1)}}) {
    const TokenSplit split = split_of(texts);
    for (const auto& [T, stride] : {std::pair{16L, 16L}, {16L, 4L}, {16L, 1L}, {16L, 15L}, {200L, 64L}, {1L, 1L}})
      for (const long B : {1L, 3L, 8L}) {
        std::string counted, expected;
        for (const std::string& text : texts) expected += text.substr(1);
        TokenWindows windows(split, B, T, stride);
        long sum = 0;
        for (TokenBatch batch; windows.next(batch);) {
          BOOST_TEST(batch.inputs.size(0) <= B);
          sum += batch.counted;
          for (const int64_t target : numbers(batch.targets))
            if (target != kNoTarget) counted += char(target);
        }
        BOOST_TEST(counted == expected);  // in order, too
        BOOST_TEST(sum == long(expected.size()));
        BOOST_TEST(windows.done() == windows.windows());
      }
  }
}

BOOST_AUTO_TEST_CASE(sliding_windows_show_enough_of_the_past) {
  const std::vector<std::string> texts = {counting(100)};
  TokenWindows windows(split_of(texts), 100, 16, 4);
  TokenBatch batch;
  BOOST_REQUIRE(windows.next(batch));
  for (long b = 0; b < batch.targets.size(0); b++)
    for (long t = 0; t < 16; t++) BOOST_TEST((batch.targets.at({b, t}) == kNoTarget || b == 0 || t >= 12));
  BOOST_TEST(!windows.next(batch));
}

BOOST_AUTO_TEST_CASE(a_stride_of_the_whole_window_is_disjoint) {
  const std::vector<std::string> texts = {counting(64)};
  const TokenSplit split = split_of(texts);
  TokenWindows windows(split, 2, 16, 16);
  TokenBatch first, second, none;
  BOOST_REQUIRE((windows.next(first) && windows.next(second) && !windows.next(none)));
  BOOST_TEST(same(first, split.windows_at({0, 16}, {0, 0}, 16)));
  BOOST_TEST(same(second, split.windows_at({32, 48}, {0, 0}, 16)));
}

BOOST_AUTO_TEST_CASE(bad_windows_are_errors) {
  const std::vector<std::string> texts = {counting(64)};
  BOOST_TEST(
      error_of([&] { TokenWindows(split_of(texts), 1, 16, 17); }) ==
      "token_data: windows of 16 bytes and a stride of 17; the stride must be 1 to 16, so that none is left out");
  BOOST_TEST(error_of([&] { TokenWindows(split_of(texts), 0, 16, 16); }) ==
             "token_data: windows of 16 bytes, 0 at a time; both must be at least 1");
  BOOST_TEST(error_of([&] { TokenSplit(split_of(texts)).windows_at({64}, {0}, 4); }) ==
             "token_data: a window at 64; the part 'part' has 64 bytes");
}

BOOST_AUTO_TEST_CASE(tokens_of_another_vocabulary_know_their_bytes) {
  const std::vector<std::string> texts = {"the ox", "he", "fox"};  // th-e_-ox, he, f-ox
  const TokenSplit split(split_of(texts), pair_vocabulary());
  BOOST_TEST(split.size() == 6);
  BOOST_TEST(split.bytes_per_token() == 11.0 / 6);
  const TokenBatch batch = split.windows_at({0, 2}, {0, 0}, 5);
  BOOST_TEST((numbers(batch.inputs) == Numbers{256, 258, 259, 257, 'f', 259, 257, 'f', 259, 0}));
  BOOST_TEST((numbers(batch.targets) == Numbers{258, 259, -1, -1, 259, -1, -1, 259, -1, -1}));
  BOOST_TEST((numbers(batch.segments) == Numbers{0, 0, 0, 1, 2, 0, 1, 2, 2, 2}));
  BOOST_TEST(batch.counted == 4);
  BOOST_TEST(batch.bytes == 8);
  TokenWindows windows(split, 1, 2, 2);
  long tokens = 0, bytes = 0;
  for (TokenBatch one; windows.next(one);) tokens += one.counted, bytes += one.bytes;
  BOOST_TEST(tokens == 3);  // all but the first of each document
  BOOST_TEST(bytes == 6);
}

BOOST_AUTO_TEST_CASE(bytes_are_their_own_tokens_and_are_not_copied) {
  const ByteSplit bytes = split_of({counting(500)});
  const TokenSplit split = bytes;
  BOOST_TEST(split.size() == 500);
  BOOST_TEST(split.bytes_per_token() == 1);
  BOOST_TEST(split.batch(1, 1, 0, 3, 20).bytes == 60);
  BOOST_TEST(split.text().documents()[0].bytes == bytes.documents()[0].bytes);
}

// Whatever the width of an id: the same places are drawn, and the same windows shown.
BOOST_AUTO_TEST_CASE(any_vocabulary_draws_the_same_windows) {
  const std::vector<std::string> texts = {counting(300), "a", counting(41)};
  const auto far = std::make_shared<FarVocabulary>();
  const auto none = std::make_shared<PairVocabulary>(std::vector<std::string>{});
  const TokenSplit bytes = split_of(texts), wide(split_of(texts), far), two(split_of(texts), none);
  const TokenBatch a = bytes.batch(3, 4, 0, 5, 30), b = wide.batch(3, 4, 0, 5, 30), c = two.batch(3, 4, 0, 5, 30);
  Numbers inputs, targets;
  for (const int64_t id : numbers(a.inputs)) inputs.push_back(id + FarVocabulary::kFirst);
  for (const int64_t id : numbers(a.targets)) targets.push_back(id == kNoTarget ? id : id + FarVocabulary::kFirst);
  BOOST_TEST((numbers(b.inputs) == inputs));
  BOOST_TEST((numbers(b.targets) == targets));
  BOOST_TEST(b.bytes == a.bytes);
  BOOST_TEST(same(a, c));
}

BOOST_AUTO_TEST_CASE(a_vocabulary_that_does_not_fit_the_text_is_an_error) {
  const std::vector<std::string> texts = {"abcabc"};
  const auto wrong = [&](char lost, char strange) {
    const auto far = std::make_shared<FarVocabulary>();
    far->lost = lost, far->strange = strange;
    return error_of([&] { TokenSplit(split_of(texts), far); });
  };
  BOOST_TEST(wrong('b', 0) ==
             "token_data: the tokens of 'd' have 4 bytes and the text 6; the vocabulary of the kind 'far' loses some");
  BOOST_TEST(wrong(0, 'b') == "token_data: 'd' has the token 100256; the vocabulary of the kind 'far' has 0 to 100255");
}

BOOST_AUTO_TEST_CASE(a_part_that_is_shorter_than_a_window_is_an_error) {
  const std::vector<std::string> texts = {"the ox"};
  const TokenSplit bytes = split_of(texts), pairs(split_of(texts), pair_vocabulary());
  bytes.check_window(5);
  BOOST_TEST(error_of([&] { bytes.batch(1, 1, 0, 2, 6); }) ==
             "token_data: the part 'part' has 6 bytes; a window of 6 inputs and their targets needs 7. Give more data "
             "or a shorter context");
  BOOST_TEST(error_of([&] { pairs.check_window(5); }) ==
             "token_data: the part 'part' has 3 tokens; a window of 5 inputs and their targets needs 6. Give more data "
             "or a shorter context");
}

BOOST_AUTO_TEST_CASE(streams_read_their_parts_from_start_to_end_without_a_gap) {
  const std::vector<std::string> texts = {counting(200), counting(63)};  // 263 bytes
  const TokenSplit split(split_of(texts));
  const std::string all = texts[0] + texts[1];
  BOOST_TEST(split.segments(3, 10) == 8);  // 3 * 80 of 262 inputs
  std::set<int64_t> first_bytes;
  for (const long pass : {0, 1, 2, 3}) {
    std::vector<std::string> read(3);
    for (long segment = 8 * pass; segment < 8 * (pass + 1); segment++) {
      const StreamPlace at{.seed = 5, .streams = 3, .first = 0, .rows = 3, .T = 10, .segment = segment};
      const TokenBatch batch = split.stream(at);
      BOOST_TEST(!batch.segments.defined());
      for (long row = 0; row < 3; row++)
        for (long t = 0; t < 10; t++) read[size_t(row)] += char(batch.inputs.at({row, t}));
      StreamPlace last = at;
      last.first = 2, last.rows = 1;  // a micro-batch draws what the batch draws
      BOOST_TEST(numbers(split.stream(last).inputs) == numbers(contiguous(slice(batch.inputs, 0, 2, 3))),
                 boost::test_tools::per_element());
    }
    const std::string joined = read[0] + read[1] + read[2];
    BOOST_TEST(all.find(joined) != std::string::npos, "pass " << pass);
    first_bytes.insert(read[0][0]);
  }
  BOOST_TEST(first_bytes.size() > 1u);  // it does not always begin at the same place
  BOOST_TEST(error_of([&] { split.segments(0, 10); }) ==
             "token_data: 0 streams of 10 bytes at a time; both must be at least 1");
}

BOOST_AUTO_TEST_CASE(no_target_of_a_stream_crosses_a_border) {
  const std::vector<std::string> texts = {"abcdef", "ghijklmno"};
  const TokenBatch batch = TokenSplit(split_of(texts)).stream({.streams = 1, .T = 14});
  BOOST_TEST(batch.counted == 13);
  BOOST_TEST(batch.targets.at({0, 5}) == double(kNoTarget));  // behind f
  BOOST_TEST(batch.targets.at({0, 6}) == double('h'));
}

BOOST_AUTO_TEST_SUITE_END()
