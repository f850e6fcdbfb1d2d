// BigBird (ITC, the form whose global tokens are tokens of the text): the sequence is cut into blocks, and a block of
// queries sees the blocks around it, a few global blocks that all see and that see all, and for each head some blocks
// drawn at random. The window knows the neighbourhood, the global blocks carry news across the text, and the random
// ones make the path between any two tokens short.
//
//   A_h(t) = globals + { t - w .. t + w } + R_h(t),   a block t that is global itself sees all      a set of blocks
//   R_h(t) = r distinct blocks, drawn from those that are neither global nor in the window; all if there are fewer
//
// A set: a block that is found twice counts once, and blocks end where the sequence does; nothing wraps around. The
// draw belongs to the model: it hangs on the model's seed, the path of the layer, the head, t and the number of blocks,
// so that training, evaluation and a model that is loaded later see the same. Blocks are drawn from the whole sequence.
//
// Time O(n (window + r + g) block D), memory O(n D). All tiles are whole with blocks of 64. It pays off for long
// documents in which anything may matter to anything. It loses to `full` below some thousand tokens (up to window + r +
// g blocks it is full attention, with more to plan), and to `window` where only neighbours matter. With a global block
// at the end a text's result depends on how far its batch is padded: prefer preset=itc there. A model whose longest
// sequence (max_length, never the current n) has at most full_below= tokens is full attention.
//
// Causal it is with causal=yes, our extension: there is no global block at the end, and R_h(t) is drawn from the blocks
// between the first ones and the window, so that it does not depend on what is still to come. Decoding keeps all keys.
// (Big Bird: Zaheer et al., 2020. Its table: 2 global blocks at the front, preset=itc; the authors' code has one at
// each end, preset=public.)
#include <algorithm>

#include "attention/multi_head.h"
#include "attention/ranges_core.h"
#include "system/ceil_div.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr long kUsualBlock = 64;

struct Blocks {
  long size;        // tokens in one
  long left;        // global ones: the first so many,
  long right;       // and the last
  long around;      // in the window on either side of the query's own
  long random = 0;  // drawn for each head
  bool causal = false;
  bool full = false;  // all see all: the model's sequences are short

  bool global(long t, long count) const { return full || t < left || t >= count - right; }
  bool near(long t, long other) const { return std::abs(t - other) <= around; }

  // What may be drawn for block t of `count`, rising
  std::vector<long> candidates(long t, long count) const {
    std::vector<long> all;
    for (long other = left; other < (causal ? t : count - right); other++)
      if (!near(t, other)) all.push_back(other);
    return all;
  }
};

// The first numbers of a shuffle, from draws that are pure functions of their counters (site, head, t).
std::vector<long> drawn(std::vector<long> from, long count, const RandomKey& key, long h, long t) {
  const long taken = std::min(count, long(from.size()));
  for (long k = 0; k < taken; k++) {
    const uint32_t draw = philox({key.site, uint32_t(h), uint32_t(t), uint32_t(k / 4)}, key.key())[size_t(k % 4)];
    std::swap(from[size_t(k)], from[size_t(k + long(draw) % (long(from.size()) - k))]);
  }
  from.resize(size_t(taken));
  return from;
}

// A number of 32 bits as four bytes: any type of parameters holds them exactly.
Tensor seed_bytes(const Shape& shape, const RandomKey& key) {
  std::vector<float> bytes;
  const uint32_t number = philox({key.site, 0, 0, 0}, key.key())[0];
  for (int i = 0; i < 4; i++) bytes.push_back(float(number >> (8 * i) & 255));
  return from_vector(bytes, shape);
}

class BigBirdCore : public RangesCore {
 public:
  BigBirdCore(const MixerOptions& mixer, const Blocks& blocks, const BiasMaker& bias)
      : RangesCore(mixer, bias, blocks.random > 0 && !blocks.full ? mixer.heads : 1),
        heads_(mixer.heads),
        blocks_(blocks),
        seed_(buffer("seed", {4}, seed_bytes)) {}

  Capabilities can() const override {
    Capabilities can = every_mask();
    const bool fixed = blocks_.right == 0 && (blocks_.causal || blocks_.random == 0) && !blocks_.full;
    can.causal = can.strictly_causal = can.decode = can.any_cut = can.length_free = fixed;
    can.exact = can.needs_max_length = blocks_.full;
    can.random = blocks_.random > 0;
    can.rotary = allows_rotary();
    can.because = fixed ? "its pattern is one of positions in one sequence"
                        : "global blocks at the end and drawn ones are of the whole sequence; give causal=yes";
    return can;
  }

  std::string key() const override {
    std::string text = "bigbird";
    if (blocks_.random > 0) text.append(" " + path() + " ").append(std::to_string(seed()));  // others share it
    for (const long number : {blocks_.size, blocks_.left, blocks_.right, blocks_.around, blocks_.random,
                              long(blocks_.causal), long(blocks_.full)})
      text.append(" ").append(std::to_string(number));
    return text;
  }

  SeenKeys keys(long h, long p, long n) const override {
    const long count = ceil_div(n, blocks_.size), t = p / blocks_.size;
    const auto first_of = [&](long block) { return std::min(block * blocks_.size, n); };
    if (blocks_.global(t, count)) return {first_of(t + 1), {{0, n - 1}}};
    SeenKeys seen{first_of(t + 1), {}};
    for (const long block : of_query(h, t, count)) {
      if (seen.keys.empty() || seen.keys.back().last + 1 < first_of(block)) seen.keys.push_back({first_of(block), 0});
      seen.keys.back().last = first_of(block + 1) - 1;
    }
    return seen;
  }

  // Besides the weights "random blocks", i64 (H, blocks, r): those of each block of queries, -1 where there are fewer.
  std::vector<Look> looks(const Heads& heads, const Mask& mask, Context& ctx) override {
    const long n = heads.k.size(2), count = ceil_div(n, blocks_.size);
    std::vector<int64_t> all;
    for (long h = 0; h < heads_; h++)
      for (long t = 0; t < count; t++) {
        std::vector<long> own = random_blocks(h, t, count);
        own.resize(size_t(blocks_.random), -1);
        all.insert(all.end(), own.begin(), own.end());
      }
    return {{"weights", weights(heads, mask, ctx)},
            {"random blocks", from_vector(all, {heads_, count, blocks_.random})}};
  }

 private:
  std::vector<long> random_blocks(long h, long t, long count) const {
    if (blocks_.global(t, count)) return {};
    return drawn(blocks_.candidates(t, count), blocks_.random, {.seed = seed(), .site = site_hash(path())}, h, t);
  }

  // All that block t sees, rising, each once
  std::vector<long> of_query(long h, long t, long count) const {
    std::vector<long> all = random_blocks(h, t, count);
    const auto add = [&](long first, long end) {
      for (long block = std::max(first, 0L); block < std::min(end, count); block++) all.push_back(block);
    };
    add(0, blocks_.left), add(count - blocks_.right, count), add(t - blocks_.around, t + blocks_.around + 1);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // What the buffer holds, read when somebody wrote there: a model that is drawn anew or loaded, not every step.
  uint32_t seed() const {
    const Tensor& now = seed_.value();
    if (read_.storage() == now.storage() && version_ == now.storage()->version()) return number_;
    read_ = now, version_ = now.storage()->version(), number_ = 0;
    const std::vector<double> bytes = to(now, cpu).to_vector<double>();
    for (size_t i = 0; i < 4; i++) number_ |= uint32_t(bytes[i]) << (8 * i);
    return number_;
  }

  long heads_;
  Blocks blocks_;
  Variable& seed_;  // (4,), bytes: of the draw
  mutable Tensor read_{};
  mutable uint64_t version_ = 0;
  mutable uint32_t number_ = 0;
};

// Blocks that cannot be are told when they are asked for; the usual ones serve any length.
void check_blocks(const VariantOptions& options, const Blocks& blocks, long window, long max_length) {
  HEED_CHECK(window % 2 == 1, "bigbird", "got window=", window,
             "; it counts the query's own block and as many before it as after it: give an odd number, such as 3");
  HEED_CHECK(blocks.size <= max_length || blocks.size == kUsualBlock, "bigbird", "got block=", blocks.size,
             "; the longest sequence has ", max_length,
             " tokens, which would be one block, and every query would see all. Give a smaller one, or use full");
  const bool given = options.number("global_left") >= 0 || options.number("global_right") >= 0;
  const long count = ceil_div(max_length, blocks.size);
  HEED_CHECK(!given || blocks.left + blocks.right <= count, "bigbird", "got ", blocks.left + blocks.right,
             " global blocks of ", blocks.size, " tokens; the longest sequence has ", max_length, " tokens in ", count,
             " blocks. Give fewer, or use full");
  HEED_CHECK(!blocks.causal || blocks.right == 0, "bigbird", "got causal=yes and global_right=", blocks.right,
             "; no query may see the last block before its time. Give global_right=0");
  HEED_CHECK(!blocks.causal || options.number("full_below") == 0, "bigbird",
             "got causal=yes and full_below=", options.number("full_below"),
             "; a causal model is one pattern for all lengths. Leave one of them away");
}

Blocks blocks_of(const VariantOptions& options, long max_length) {
  const bool itc = options.word("preset") == "itc", causal = options.yes("causal");
  const auto globals = [&](const char* name, long usual) {
    return options.number(name) >= 0 ? options.number(name) : usual;
  };
  const Blocks blocks{.size = options.number("block"),
                      .left = globals("global_left", itc ? 2 : 1),
                      .right = globals("global_right", itc || causal ? 0 : 1),
                      .around = options.number("window") / 2,
                      .random = options.number("random"),
                      .causal = causal,
                      .full = max_length <= options.number("full_below")};
  check_blocks(options, blocks, options.number("window"), max_length);
  return blocks;
}

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "preset",
       .help = "global blocks: public 1 at each end, itc 2 at the front (the paper's table)",
       .standard = "public",
       .choices = {"public", "itc"}},
      {.name = "block", .help = "tokens in a block", .standard = std::to_string(kUsualBlock), .low = 1, .high = 1e6},
      {.name = "window",
       .help = "blocks around the query's, with its own; odd",
       .standard = "3",
       .low = 1,
       .high = 1e6},
      {.name = "global_left",
       .help = "global blocks at the front; -1: as preset",
       .standard = "-1",
       .low = -1,
       .high = 1e6},
      {.name = "global_right",
       .help = "and at the end; -1: as preset, 0 if causal",
       .standard = "-1",
       .low = -1,
       .high = 1e6},
      {.name = "random", .help = "blocks that each head draws", .standard = "3", .high = 1e6},
      {.name = "full_below", .help = "a max_length up to this: all see all", .standard = "0", .high = 1e9},
      yes_or_no("causal", "draw from earlier blocks only, as a causal mask needs it", false)};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant bigbird{
    {.name = "bigbird",
     .summary = "blocks see their neighbours, global blocks and some drawn at random",
     .formula = "o_i over j in the blocks of globals + {t - w .. t + w} + R_h(t), t the block of i: softmax attention",
     .time = {Growth::linear, "(w + g + r) b"},
     .memory = {Growth::linear},
     .source = "Zaheer et al., 2020",
     .year = 2020,
     .when = "documents of several thousand tokens in which anything may matter to anything",
     .when_not = "a text of some hundred tokens, where it is full attention, or only neighbours matter",
     .shown = {"bigbird", "bigbird:preset=itc,causal=yes"},
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) {
       return multi_head<BigBirdCore>(mixer, blocks_of(options, mixer.max_length), bias_of(options));
     }}};

}  // namespace
}  // namespace heed
