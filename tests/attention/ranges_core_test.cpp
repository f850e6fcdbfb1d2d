#include "attention/ranges_core.h"

#include <algorithm>

#include "tensor/create.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

// Blocks of 10 tokens. Head 0 sees its own and every third block before it, head 1 its own and the first token. Single
// tokens in place of blocks: more ranges than can be merged at once.
struct Thirds : RangesCore {
  long block;
  explicit Thirds(const MixerOptions& mixer, long block = 10) : RangesCore(mixer, nullptr, 2), block(block) {}

  SeenKeys keys(long h, long p, long n) const override {
    const long t = p / block;
    SeenKeys seen{std::min((t + 1) * block, n), {}};
    if (h == 1 && t > 0) seen.keys.push_back({0, 0});
    for (long other = 0; other <= t; other++)
      if (other == t || (h == 0 && (t - other) % 3 == 0))
        seen.keys.push_back({other * block, std::min((other + 1) * block, n) - 1});
    return seen;
  }
  bool sees(long h, long p, long j) const {
    const long t = p / block, other = j / block;
    return other == t || (h == 0 ? other <= t && (t - other) % 3 == 0 : j == 0);
  }
  std::string key() const override { return "thirds " + std::to_string(block); }
  Capabilities can() const override { return every_mask(); }
};

// A query sees its own block of 8 and the first one, in all heads.
struct OwnAndFirst : RangesCore {
  explicit OwnAndFirst(const MixerOptions& mixer) : RangesCore(mixer) {}

  SeenKeys keys(long, long p, long n) const override {
    const long first = p / 8 * 8, end = std::min(first + 8, n);
    return first == 0 ? SeenKeys{end, {{0, end - 1}}} : SeenKeys{end, {{0, 7}, {first, end - 1}}};
  }
  static bool sees(long p, long j) { return j < 8 || j / 8 == p / 8; }
  std::string key() const override { return "own and first 8"; }
  Capabilities can() const override { return every_mask(); }
};

const MixerOptions kMixer{.C = 8, .heads = 2, .head_width = 4, .value_width = 4};

// The same by a table of pairs
template <class S> Tensor allowed(long T, long S_, long first_key, S&& sees) {
  std::vector<bool> pairs;
  for (long h = 0; h < 2; h++)
    for (long i = 0; i < T; i++)
      for (long j = 0; j < S_; j++) pairs.push_back(sees(h, i + S_ - T + first_key, j + first_key));
  return from_vector(pairs, {2, T, S_});
}

template <class S> void check_core(RangesCore& core, S&& sees) {
  Context ctx;
  for (auto [T, keys, first_key] :
       {std::array{200L, 200L, 0L}, {1, 150, 0}, {70, 150, 0}, {1, 1, 0}, {0, 0, 0}, {1, 37, 11}, {9, 37, 11}})
    BOOST_TEST_CONTEXT(T << " queries, " << keys << " keys from " << first_key) {
      const Variable q = noise({2, 2, T, 4}, 1, f64), k = noise({2, 2, keys, 4}, 2, f64),
                     v = noise({2, 2, keys, 4}, 3, f64);
      for (const Mask& mask :
           {causal_mask(), causal_mask() & length_mask(tensor({double(keys), double(keys / 2)}, i64))}) {
        const Visible want =
            visible_pairs("test", mask & allow_mask(allowed(T, keys, first_key, sees)), {}, {2, 2, T, keys});
        check_close(core.attend({q, k, v, first_key}, mask, ctx).value(),
                    softmax_attention_reference({q, k, v}, want).o.value(), 1e-12);
        check_close(core.weights({q, k, v, first_key}, mask, ctx), softmax_attention_weights({q, k, v}, want), 1e-12);
      }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ranges_core_test)

BOOST_AUTO_TEST_CASE(a_query_sees_its_ranges_by_a_plan_and_alone) {
  Thirds blocks(kMixer), tokens(kMixer, 1);  // a single query at 149 has 50 ranges of one token each
  check_core(blocks, [&](long h, long p, long j) { return blocks.sees(h, p, j); });
  check_core(tokens, [&](long h, long p, long j) { return tokens.sees(h, p, j); });
  OwnAndFirst alike(kMixer);
  check_core(alike, [](long, long p, long j) { return OwnAndFirst::sees(p, j); });
}

BOOST_AUTO_TEST_CASE(more_ranges_than_can_be_merged_at_once_are_merged_in_turns) {
  Thirds tokens(kMixer, 1);
  Context ctx;
  const long S = 3 * kMostMergedParts + 20;
  const Variable q = noise({1, 2, 1, 4}, 1, f64), k = noise({1, 2, S, 4}, 2, f64), v = noise({1, 2, S, 4}, 3, f64);
  const Tensor allow = allowed(1, S, 0, [&](long h, long p, long j) { return tokens.sees(h, p, j); });
  const Visible want = visible_pairs("test", allow_mask(allow), {}, {1, 2, 1, S});
  check_close(tokens.attend({q, k, v}, {}, ctx).value(), softmax_attention_reference({q, k, v}, want).o.value(), 1e-12);
}

BOOST_AUTO_TEST_CASE(dropout_of_a_single_query_is_that_of_its_row) {
  MixerOptions mixer = kMixer;
  mixer.dropout = 0.5;
  Thirds core(mixer);
  const long S = 90;
  const Variable q = noise({1, 2, 1, 4}, 1, f64), k = noise({1, 2, S, 4}, 2, f64), v = noise({1, 2, S, 4}, 3, f64);
  Context ctx, same;
  ctx.train = same.train = true;
  const Tensor allow = allowed(1, S, 0, [&](long h, long p, long j) { return core.sees(h, p, j); });
  const Visible want = visible_pairs("test", allow_mask(allow), {}, {1, 2, 1, S});
  check_close(core.attend({q, k, v}, {}, ctx).value(),
              softmax_attention_reference({q, k, v}, want, {.dropout = 0.5, .key = same.random(core)}).o.value(),
              1e-12);
}

BOOST_AUTO_TEST_SUITE_END()
