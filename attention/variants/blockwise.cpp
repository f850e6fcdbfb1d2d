// Blockwise attention: the sequence is cut into blocks, and every head pairs each block of queries with exactly one
// block of keys. Heads of shift 0 look at their own block, the others at one farther away, so that together they see
// all.
//
//   A_h(i) = { j : block(j) = (block(i) + s_h) mod m },   block(i) = floor(i m / n)          m blocks of n / m tokens
//
// The matrix of a head is a permutation of blocks: 1/m of all pairs. Time O(n^2 / m), memory O(n): with m fixed it only
// divides the square. With block= the size is fixed instead (block(i) = floor(i / block), m = ceil(n / block)), and
// time is O(n block). By default one head in six is shifted, at least one: 10 and 2 of 12 (shifts=0/1), 8, 2 and 2
// (0/1/2); shares= says how many heads each shift gets.
//
// It pays off as the smallest change to a trained encoder that saves memory and time, with few blocks. It loses where
// all heads should see the same, and the pattern depends on n: the same text beside more padding has other blocks.
// Causal it is with wrap=no, where a head of shift s looks back s blocks (our extension: the first s blocks see nothing
// there), and with block=, as the size of a block must not depend on what is still to come. Decoding then keeps the
// last s + 1 blocks. (Blockwise Self-Attention for Long Document Understanding: Qiu et al., 2020.)
#include <algorithm>
#include <numeric>

#include "attention/heads.h"
#include "attention/multi_head.h"
#include "attention/seeing/visible_once.h"
#include "attention/softmax_core.h"

namespace heed {
namespace {

struct Blocks {
  long count;                // m, if size is 0
  long size;                 // tokens in a block; 0: by count
  bool wrap;                 // may a shift go around the end?
  std::vector<long> shifts;  // of each head

  bool alike() const {  // do all heads look at their own block?
    return std::all_of(shifts.begin(), shifts.end(), [](long s) { return s == 0; });
  }

  // The block that head h looks at from position p of n tokens, as a range of positions
  KeyRange keys(long h, long p, long n) const {
    const long m = size ? (n + size - 1) / size : count, shift = shifts[size_t(h)];
    const long own = size ? p / size : p * m / n, seen = wrap ? (own + shift) % m : own - shift;
    return {first_of(seen, n), first_of(seen + 1, n) - 1};
  }

  std::string text() const {  // for keys
    std::string text = "blockwise " + std::to_string(count) + " " + std::to_string(size) + (wrap ? " wrap" : " back");
    for (const long shift : shifts) text.append(" ").append(std::to_string(shift));
    return text;
  }

 private:
  // The first p with block(p) >= b: floor(p m / n) >= b iff p >= b n / m
  long first_of(long b, long n) const { return size ? b * size : (b * n + count - 1) / count; }
};

class BlockwiseCore : public SoftmaxCore {
 public:
  BlockwiseCore(const MixerOptions& mixer, const Blocks& blocks, const BiasMaker& bias)
      : SoftmaxCore(mixer, bias), blocks_(blocks) {}

  Capabilities can() const override {
    Capabilities can = every_mask();
    const bool fixed = blocks_.size > 0 && (!blocks_.wrap || blocks_.alike());  // no block depends on the length
    can.causal = can.strictly_causal = can.decode = can.any_cut = can.length_free = fixed;
    can.rotary = allows_rotary();
    can.because = fixed ? "its pattern is one of positions in one sequence"
                        : "its blocks depend on the length, and shifts look ahead; give block= and wrap=no";
    return can;
  }
  long reach() const override {
    const long most = *std::max_element(blocks_.shifts.begin(), blocks_.shifts.end());
    return (most + 1) * blocks_.size - 1;
  }

 protected:
  Visible seen(const Heads& heads, const Mask& mask, Context& ctx) override {
    const Shape shape = pairs_of(heads);
    const long T = shape[2], S = shape[3], before = heads.first_key;
    return visible_once(
        ctx, [&] { return blocks_.text() + " " + std::to_string(before); }, mask, shape, heads.q.value().device(),
        [&] {
          return visible_ranges_by_head("attention", shape, mask, [&](long h, long i) {
            const KeyRange keys = blocks_.keys(h, i + S - T + before, S + before);
            return KeyRange{keys.first - before, keys.last - before};
          });
        });
  }

 private:
  Blocks blocks_;
};

// One head in six for each shift but the first, at least one as long as there are some; the first gets the rest.
std::vector<long> usual_shares(long groups, long heads) {
  std::vector<long> shares(size_t(groups), 0);
  for (long g = groups - 1; g > 0; g--) shares[size_t(g)] = g < heads ? std::max(1L, heads / std::max(6L, groups)) : 0;
  shares[0] = heads - std::accumulate(shares.begin(), shares.end(), 0L);
  return shares;
}

// The shift of each head
std::vector<long> shifts_of(const VariantOptions& options, long heads) {
  const std::vector<long> shifts = options.numbers("shifts"), given = options.numbers("shares");
  const std::vector<long> shares = given == std::vector<long>{0} ? usual_shares(long(shifts.size()), heads) : given;
  HEED_CHECK(shares.size() == shifts.size(), "blockwise", "got shifts=", options.word("shifts"),
             " and shares=", options.word("shares"), "; there must be as many shares as shifts");
  const long total = std::accumulate(shares.begin(), shares.end(), 0L);
  HEED_CHECK(total == heads, "blockwise", "got shares=", options.word("shares"), ", which are ", total,
             " heads in all; there are ", heads);
  std::vector<long> of_heads;
  for (size_t g = 0; g < shifts.size(); g++) of_heads.insert(of_heads.end(), size_t(shares[g]), shifts[g]);
  return of_heads;
}

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "blocks", .help = "how many blocks there are", .standard = "2", .low = 1, .high = 1e6},
      {.name = "block", .help = "tokens in a block, in place of blocks; 0: by blocks", .standard = "0", .high = 1e6},
      {.name = "shifts", .help = "blocks ahead, a list", .standard = "0/1", .high = 1e6, .parted_by = '/'},
      {.name = "shares", .help = "heads of each shift; 0: most for the first", .standard = "0", .parted_by = '/'},
      yes_or_no("wrap", "shifts go around the end; no: they look back", true)};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant blockwise{
    {.name = "blockwise",
     .summary = "every head pairs each block of queries with one block of keys",
     .formula = "o_i over j in the block (b_i + s_h) mod m: softmax attention, a shift s_h for each head",
     .time = {Growth::square, "/ m"},
     .memory = {Growth::linear},
     .source = "Qiu et al., 2020",
     .year = 2020,
     .when = "encoders of some thousand tokens that should change little: heads share out the blocks",
     .when_not = "heads must see the same keys, or n grows: with a fixed number of blocks time is still a square",
     .shown = {"blockwise", "blockwise:block=128,wrap=no"},
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) {
       const Blocks blocks{options.number("blocks"), options.number("block"), options.yes("wrap"),
                           shifts_of(options, mixer.heads)};
       return multi_head<BlockwiseCore>(mixer, blocks, bias_of(options));
     }}};

}  // namespace
}  // namespace heed
