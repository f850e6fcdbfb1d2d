#include "nn/mixing/mask.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/profile.h"
#include "tensor/random.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"

using namespace heed;

namespace {

// Rows of '#' (may attend) and '.' for sample b, head 0.
std::string picture(const Mask& mask, long T, long S, long b = 0, long B = 1) {
  Tensor seen = mask.dense(B, 1, T, S);
  std::string text;
  for (long i = 0; i < T; i++) {
    for (long j = 0; j < S; j++) text += seen.at({b, 0, i, j}) != 0 ? '#' : '.';
    text += '\n';
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_causal_mask_is_aligned_at_the_bottom_right) {
  BOOST_TEST(picture(causal_mask(), 3, 3) == "#..\n##.\n###\n");
  BOOST_TEST(picture(causal_mask(), 2, 4) == "###.\n####\n");
}

BOOST_AUTO_TEST_CASE(a_window_counts_each_side_by_itself) {
  BOOST_TEST(picture(window_mask(1, 0), 4, 4) == "#...\n##..\n.##.\n..##\n");
  BOOST_TEST(picture(window_mask(-1, 1), 4, 4) == "##..\n###.\n####\n####\n");
  BOOST_TEST(picture(Mask(), 2, 2) == "##\n##\n");
}

BOOST_AUTO_TEST_CASE(lengths_hide_padding_and_segments_keep_documents_apart) {
  Mask lengths = length_mask(tensor({1, 3}, i64));
  BOOST_TEST(picture(lengths, 3, 3, 0, 2) == "#..\n#..\n#..\n");
  BOOST_TEST(picture(lengths, 3, 3, 1, 2) == "###\n###\n###\n");
  Mask segments = segment_mask(tensor({7, 7, 2}, {1, 3}, i64));
  BOOST_TEST(picture(segments, 3, 3) == "##.\n##.\n..#\n");
  BOOST_TEST(picture(segments, 1, 3) == "..#\n");  // one query: the last position
}

BOOST_AUTO_TEST_CASE(ranges_name_the_first_and_the_last_key_of_each_query) {
  const Mask one = range_mask(tensor({-5, 1, 2, 2, 2, 1, 1, 99}, {1, 4, 2}, i32));  // reaches beyond, or is empty
  BOOST_TEST(picture(one, 4, 4) == "##..\n..#.\n....\n.###\n");
  BOOST_TEST(picture(one, 4, 2) == "##\n..\n..\n.#\n");  // by index of query and key, not by position
  const Mask two = range_mask(tensor({0, 0, 0, 3, 0, 3, 0, 2, 1, 3, 1, 3, 1, 3, 1, 3}, {2, 4, 2}, i64));
  for (const Mask& both : {one & two, two & one}) {  // each sample meets the one for all
    BOOST_TEST(picture(both, 4, 4, 0, 2) == "#...\n..#.\n....\n.##.\n");
    BOOST_TEST(picture(both, 4, 4, 1, 2) == ".#..\n..#.\n....\n.###\n");
  }
  BOOST_TEST(picture(one & causal_mask(), 4, 4) == "#...\n....\n....\n.###\n");
}

BOOST_AUTO_TEST_CASE(parts_combine_to_what_all_of_them_allow) {
  Mask both = causal_mask() & window_mask(2, -1) & window_mask(1, 5);
  BOOST_TEST(picture(both, 4, 4) == "#...\n##..\n.##.\n..##\n");
  Mask segments = segment_mask(tensor({0, 0, 1, 1}, {1, 4}, i64)) & segment_mask(tensor({0, 1, 1, 1}, {1, 4}, i64));
  BOOST_TEST(picture(segments, 4, 4) == "#...\n.#..\n..##\n..##\n");
  Mask lengths = length_mask(tensor({3, 1}, i64)) & length_mask(tensor({2, 2}, i64));
  BOOST_TEST(picture(lengths, 1, 3, 0, 2) == "##.\n");
  BOOST_TEST(picture(lengths, 1, 3, 1, 2) == "#..\n");
  Mask allow = allow_mask(tensor({1, 0, 1}, boolean)) & allow_mask(tensor({1, 1, 0}, {3, 1}, boolean));
  BOOST_TEST(picture(allow, 3, 3) == "#.#\n#.#\n...\n");
}

BOOST_AUTO_TEST_CASE(the_dense_mask_is_what_every_pair_sees) {
  const long B = 2, H = 3, S = 6;
  for (long T : {1L, 4L, S})
    for (const Tensor& allow : {noise({T, S}), noise({H, 1, S}), noise({B, 1, T, 1}), noise({B, H, T, S})}) {
      const Mask mask = window_mask(3, 1) & length_mask(tensor({6, 4}, i64)) &
                        segment_mask(tensor({0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3}, {B, S}, i64)) &
                        range_mask(cast(uniform({T % 2 + 1, T, 2}, {.seed = 5}, -2, 8), i64)) &
                        allow_mask(less(allow, 0.5));
      const Tensor seen = mask.dense(B, H, T, S);
      for_each_index(seen.shape(), [&](const Shape& at) {
        BOOST_TEST((seen.at(at) != 0) == mask.sees({at[0], at[1], at[2], at[3]}, T, S));
      });
    }
}

BOOST_AUTO_TEST_CASE(a_dense_mask_reads_its_parts_once_and_not_pair_by_pair) {
  const Mask mask = length_mask(tensor({40}, i64)) & segment_mask(zeros({1, 64}, i64)) &
                    range_mask(zeros({1, 64, 2}, i64)) & allow_mask(full({1, 64}, 1, boolean));
  Profile profile;
  mask.dense(1, 1, 64, 64);
  profile.stop();
  long calls = 0;
  for (const ProfileRow& row : profile.rows()) calls += row.calls;
  BOOST_TEST(calls <= 4);  // at() asks for a kernel each time
}

BOOST_AUTO_TEST_CASE(masks_of_the_wrong_kind_or_size_are_refused) {
  BOOST_TEST(error_of([] { window_mask(-2, 0); }) ==
             "window_mask: the window is -2 to the left and 0 to the right; each is 0 or more, or -1 for no limit");
  BOOST_TEST(
      error_of([] {
        allow_mask(zeros({2, 2}));
      }) ==
      "allow_mask: got (2, 2) f32; it must be boolean and broadcast to (B, H, T, S). Cast first: cast(x, boolean)");
  BOOST_TEST(error_of([] { length_mask(zeros({2})); }) ==
             "length_mask: got (2,) f32; it must be integers of shape (B,)");
  BOOST_TEST(error_of([] {
               length_mask(tensor({1, 2}, i64)).dense(3, 1, 4, 4);
             }) ==
             "mask: the mask's lengths are (2,) and the batch is (B, H, T, S) = (3, 1, 4, 4); lengths must be (B,)");
  BOOST_TEST(error_of([] {
               range_mask(zeros({2, 3, 2}));
             }) == "range_mask: got (2, 3, 2) f32; it must be integers of shape (1 or B, T, 2)");
  BOOST_TEST(error_of([] {
               range_mask(zeros({2, 3, 4}, i64));
             }) ==
             "range_mask: got (2, 3, 4); it must be (1 or B, T, 2), the first and the last key that each query sees");
  BOOST_TEST(error_of([] {
               range_mask(zeros({2, 3, 2}, i64)).dense(2, 1, 4, 4);
             }) ==
             "mask: the mask's ranges are (2, 3, 2) and the batch is (B, H, T, S) = (2, 1, 4, 4); ranges must be (1 or "
             "B, T, 2), the first and the last key of each query");
}
