// What bigbird promises beyond the property suite: its draw is that of the rule, and belongs to the model; pictures and
// counts of blocks; the form by rolled and gathered blocks gives the same; blocks that cannot be are told.
#include <algorithm>
#include <set>

#include "attention/heads.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/split_heads.h"
#include "autograd/ops/views.h"
#include "nn/linear.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/profile.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"
#include "tests/support/error_of.h"
#include "train/model_tensors.h"

using namespace heed;

namespace {

constexpr long H = 4, C = 8;

std::unique_ptr<Mixer> made(const std::string& spec, uint32_t seed = 0, long heads = H) {
  auto mixer = make_mixer(spec, {.C = 2 * heads, .heads = heads, .max_length = 4096});
  mixer->initialise(seed);
  return mixer;
}

Tensor look_at(Mixer& mixer, const std::string& name, long n) {
  Context ctx;
  const Parameter& any = *mixer.parameters()[0];
  for (const Look& look : mixer.looks(noise({1, n, any.value.size(1)}, 1, any.value.dtype()), {}, ctx))
    if (look.name == name) return look.value;
  fail("test", "nothing to look at is called ", name);
}

// Of n blocks of one token: (H, n, r)
std::vector<int64_t> drawn(Mixer& mixer, long n) { return look_at(mixer, "random blocks", n).to_vector<int64_t>(); }

// Rows of '#' (has weight) and '.', of head h
std::string picture(Mixer& mixer, long h, long n) {
  const std::vector<double> weights = look_at(mixer, "weights", n).to_vector<double>();
  std::string text;
  for (long e = h * n * n; e < (h + 1) * n * n; e++)
    text.append(weights[size_t(e)] > 0 ? "#" : ".").append(e % n == n - 1 ? "\n" : "");
  return text;
}
long pairs(Mixer& mixer, long h, long n) {
  const std::string text = picture(mixer, h, n);
  return std::count(text.begin(), text.end(), '#');
}

// The seed that a mixer holds: four bytes
uint32_t seed_of(Mixer& mixer) {
  uint32_t seed = 0;
  const std::vector<double> bytes = mixer.buffers()[0]->value.value().to_vector<double>();
  for (size_t i = 0; i < 4; i++) seed |= uint32_t(bytes[i]) << (8 * i);
  return seed;
}

// r blocks for block t of T, with one global block at each end and a window of three: candidates rise; draw number k
// says which of those behind the first k comes to place k
std::vector<int64_t> by_the_rule(uint32_t seed, long h, long t, long T, long r) {
  std::vector<int64_t> c;
  for (long b = 1; b < T - 1; b++)
    if (b < t - 1 || b > t + 1) c.push_back(b);
  for (size_t k = 0; k < size_t(r); k++) {
    const Philox4 draws = philox({site_hash("core"), uint32_t(h), uint32_t(t), uint32_t(k / 4)}, seed);
    std::swap(c[k], c[k + draws[k % 4] % (c.size() - k)]);
  }
  return {c.begin(), c.begin() + r};
}

// ---- the form of the paper: blocks of keys are rolled and gathered, and stand side by side

Variable blocked(const Variable& x, long block) {  // (B, H, n, D) -> (B, H, T, block, D)
  return reshape(x, {x.size(0), x.size(1), x.size(2) / block, block, x.size(3)});
}
Variable rolled(const Variable& x, long by) {  // row t has block (t + by) mod T
  const long T = x.size(2), cut = (by + T) % T;
  return cut == 0 ? x : concatenate({slice(x, 2, cut, T), slice(x, 2, 0, cut)}, 2);
}

// What row t finds in each of its slots; -1: nothing, as the block is there already, or came around the end.
std::vector<long> slots_of(long t, long T, const std::vector<int64_t>& random) {
  std::vector<long> slots = {0, T - 1};
  const auto add = [&](long block) {
    const bool there = block < 0 || block >= T || std::find(slots.begin(), slots.end(), block) != slots.end();
    slots.push_back(there ? -1 : block);
  };
  for (const long by : {-1, 0, 1}) add(t + by);
  for (const int64_t block : random) add(block);
  return slots;
}

// One head: q, k, v (B, 1, n, D); random: (T, r). Rows 0 and T - 1 see all, the others 5 + r blocks side by side.
Variable roll_and_gather(const Variable& q, const Variable& k, const Variable& v, long block,
                         const std::vector<int64_t>& random) {
  const long n = q.size(2), T = n / block, r = long(random.size()) / T;
  const auto row = [&](long t) { return std::vector<int64_t>(random.begin() + t * r, random.begin() + (t + 1) * r); };
  std::vector<double> hidden;  // (T, 5 + r): added to the scores of a slot
  for (long t = 0; t < T; t++)
    for (const long slot : slots_of(t, T, row(t))) hidden.push_back(slot < 0 ? -INFINITY : 0);
  const auto beside = [&](const Variable& x) {  // (B, 1, T, (5 + r) block, D)
    const Variable blocks = blocked(x, block);
    const auto gathered = [&](const auto& which) {
      std::vector<int64_t> list;
      for (long t = 0; t < T; t++) list.push_back(std::max<int64_t>(which(t), 0));
      return index_select(blocks, 2, from_vector(list, {T}));
    };
    std::vector<Variable> parts = {gathered([](long) { return 0L; }), gathered([&](long) { return T - 1; })};
    for (const long by : {-1, 0, 1}) parts.push_back(rolled(blocks, by));
    for (long i = 0; i < r; i++) parts.push_back(gathered([&](long t) { return row(t)[size_t(i)]; }));
    return concatenate(parts, 3);
  };
  const Variable scale(scalar(1 / std::sqrt(double(q.size(3))), f64));
  const Variable slots(from_vector(hidden, {T, 5 + r, 1}));
  const Variable bias = reshape(expand(slots, {T, 5 + r, block}), {T, 1, (5 + r) * block});
  const Variable sparse =
      matmul(softmax(matmul(blocked(q, block), transpose(beside(k))) * scale + bias, -1), beside(v));
  const Variable full = matmul(softmax(matmul(q, transpose(k)) * scale, -1), v);
  const Variable middle = reshape(sparse, {q.size(0), 1, n, v.size(3)});
  return concatenate({slice(full, 2, 0, block), slice(middle, 2, block, n - block), slice(full, 2, n - block, n)}, 2);
}

std::string refusal(const std::string& spec, long max_length = 1024) {
  return error_of([&] { make_mixer(spec, {.C = C, .heads = H, .max_length = max_length}); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bigbird_test)

BOOST_AUTO_TEST_CASE(blocks_are_drawn_by_the_rule) {
  for (const uint32_t seed : {0u, 7u}) {
    const auto mixer = made("bigbird:block=1,random=6", seed);
    const std::vector<int64_t> got = drawn(*mixer, 32);
    for (long h = 0; h < H; h++)
      for (long t = 1; t < 31; t++) {
        const auto at = got.begin() + (h * 32 + t) * 6;
        BOOST_TEST((std::vector<int64_t>(at, at + 6) == by_the_rule(seed_of(*mixer), h, t, 32, 6)));
      }
  }
}

BOOST_AUTO_TEST_CASE(heads_seeds_and_layers_draw_differently_and_a_seed_always_the_same) {
  const std::string spec = "bigbird:block=1";
  const auto mixer = made(spec, 3);
  const std::vector<int64_t> all = drawn(*mixer, 32);
  std::set<std::vector<int64_t>> heads;
  for (long h = 0; h < H; h++) heads.insert({all.begin() + h * 96, all.begin() + (h + 1) * 96});
  BOOST_TEST(heads.size() == size_t(H));
  BOOST_TEST((drawn(*made(spec, 3), 32) == all));
  BOOST_TEST((drawn(*made(spec, 4), 32) != all));

  struct TwoLayers : Module {
    Mixer &first = child_from("first", [] { return make_mixer("bigbird:block=1", {.C = C, .heads = H}); }),
          &second = child_from("second", [] { return make_mixer("bigbird:block=1", {.C = C, .heads = H}); });
  } model;
  BOOST_TEST((drawn(model.first, 32) != drawn(model.second, 32)));
}

BOOST_AUTO_TEST_CASE(the_draw_is_saved_and_survives_another_seed_and_type) {
  const auto mixer = made("bigbird:block=1", 3), loaded = made("bigbird:block=1", 9);
  const std::vector<int64_t> all = drawn(*mixer, 32);
  BOOST_TEST((drawn(*loaded, 32) != all));
  load_model(*loaded, model_tensors(*mixer), "memory");
  BOOST_TEST((drawn(*loaded, 32) == all));
  BOOST_TEST(picture(*loaded, 2, 32) == picture(*mixer, 2, 32));  // the plan, too
  mixer->cast_parameters(f64);
  BOOST_TEST((drawn(*mixer, 32) == all));
  mixer->initialise(9);
  BOOST_TEST((drawn(*mixer, 32) != all));
}

BOOST_AUTO_TEST_CASE(causal_draws_are_of_earlier_blocks_and_do_not_depend_on_the_length) {
  const auto causal = made("bigbird:block=1,causal=yes"), both = made("bigbird:block=1");
  const std::vector<int64_t> longer = drawn(*causal, 40), shorter = drawn(*causal, 24);
  for (size_t h = 0; h < H; h++)
    BOOST_TEST(
        std::equal(shorter.begin() + long(h) * 72, shorter.begin() + long(h + 1) * 72, longer.begin() + long(h) * 120));
  for (size_t e = 0; e < longer.size(); e++) BOOST_TEST(longer[e] < std::max(1L, long(e / 3 % 40) - 1));
  const auto first = [](Mixer& mixer, long n) {  // of the first head, the blocks 1 .. 20
    const std::vector<int64_t> all = drawn(mixer, n);
    return std::vector<int64_t>(all.begin() + 3, all.begin() + 3 * 21);
  };
  BOOST_TEST((first(*causal, 40) == first(*causal, 24)));
  BOOST_TEST((first(*both, 40) != first(*both, 24)));  // blocks are drawn from the whole sequence
}

BOOST_AUTO_TEST_CASE(eight_blocks_with_one_drawn_look_like_this) {
  const std::vector<int64_t> want = {-1, 5, 6, 1, 2, 2, 3, -1};
  for (uint32_t seed = 0; seed < 2000; seed++) {  // one in 1296 heads draws these
    const auto mixer = made("bigbird:block=1,random=1", seed);
    const std::vector<int64_t> all = drawn(*mixer, 8);
    for (long h = 0; h < H; h++) {
      if (!std::equal(want.begin(), want.end(), all.begin() + h * 8)) continue;
      BOOST_TEST(picture(*mixer, h, 8) ==
                 "########\n###..#.#\n####..##\n#####..#\n#.####.#\n#.#.####\n#..#.###\n########\n");
      BOOST_TEST(pairs(*mixer, h, 8) == 50);
      return;
    }
  }
  BOOST_ERROR("no seed draws the blocks of the picture");
}

BOOST_AUTO_TEST_CASE(the_number_of_blocks_is_that_of_the_closed_formula) {
  for (long r = 0; r <= 3; r++) {
    const auto mixer = made("bigbird:block=1,random=" + std::to_string(r));
    for (long T = 1; T <= 14; T++)
      BOOST_TEST(pairs(*mixer, 1, T) ==
                 (T <= 4 ? T * T : 2 * T + (T - 4) * std::min(T, 5 + r) + 2 * std::min(T, 4 + r)));
  }
}

BOOST_AUTO_TEST_CASE(rolled_and_gathered_blocks_give_the_same) {
  for (const auto& [block, T, r] : {std::array{4L, 12L, 2L}, {3, 6, 1}, {5, 5, 0}, {16, 9, 3}})
    BOOST_TEST_CONTEXT(T << " blocks of " << block << ", " << r << " drawn") {
      const long n = block * T;
      const auto mixer = made("bigbird:block=" + std::to_string(block) + ",random=" + std::to_string(r), 5);
      mixer->cast_parameters(f64);
      const std::vector<int64_t> random = drawn(*mixer, n);
      const auto parameter = [&](size_t i) { return mixer->parameters()[i]->value; };  // in.weight, in.bias, out. ..
      const Variable x = noise({2, n, C}, 3);
      Context ctx;
      const auto heads = split_heads(linear(x, parameter(0), parameter(1), ctx), {{H, 2}, {H, 2}, {H, 2}});
      std::vector<Variable> o;
      for (long h = 0; h < H; h++) {
        const auto own = [&](size_t which) { return slice(heads[which], 1, h, h + 1); };
        o.push_back(roll_and_gather(own(0), own(1), own(2), block,
                                    {random.begin() + h * T * r, random.begin() + (h + 1) * T * r}));
      }
      const Variable want = linear(joined_heads(concatenate(o, 1)), parameter(2), parameter(3), ctx);
      check_close(mixer->forward(x, {}, ctx).value(), want.value(), 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(it_is_a_window_with_global_tokens_or_full_where_blocks_say_so) {
  const auto same = [](const std::string& spec, const std::string& other, const Mask& mask) {
    const auto a = made(spec), b = make_mixer(other, {.C = C, .heads = H, .max_length = 4096});
    Context ctx;
    const Tensor x = noise({2, 70, C}, 1, f32);
    check_close(a->forward(x, {.mask = mask}, ctx).value(), b->forward(x, {.mask = mask}, ctx).value(), 1e-5);
  };
  same("bigbird:block=1,random=0,global_right=0", "window:left=1,right=1,global=1", {});
  same("bigbird:block=1,random=0,global_right=0", "window:left=1,right=1,global=1", causal_mask());
  same("bigbird:block=4,causal=yes,random=1000", "full", causal_mask());
  same("bigbird:block=4,full_below=4096", "full", {});
  BOOST_TEST(!made("bigbird:block=4,full_below=4095")->can().exact);
}

BOOST_AUTO_TEST_CASE(presets_are_the_papers_table) {
  for (const auto& [preset, blocks] :
       {std::pair{"public", "global_left=1,global_right=1"}, {"itc", "global_left=2,global_right=0"}}) {
    const auto named = made(std::string("bigbird:preset=") + preset);
    const auto written = made(std::string("bigbird:block=64,window=3,random=3,") + blocks);
    Context ctx;
    const Tensor x = noise({1, 64 * 14, C}, 1, f32);
    BOOST_TEST(same_bits(named->forward(x, {}, ctx).value(), written->forward(x, {}, ctx).value()));
  }
}

BOOST_AUTO_TEST_CASE(only_tiles_of_its_blocks_are_looked_at) {
  constexpr long kBlocks = 32;
  Context ctx;
  const NoGrad no_grad;
  const auto mixer = made("bigbird");
  const Tensor x = noise({1, kBlocks * 64, C}, 1, f32);
  Profile profile;
  mixer->forward(x, {}, ctx);
  profile.stop();
  double flops = 0;
  for (const ProfileRow& row : profile.rows())
    if (row.op == "softmax_attention") flops += row.flops;
  const long tiles = 2 * kBlocks + (kBlocks - 4) * 8 + 2 * 7;
  BOOST_TEST(flops == double(tiles * H * 2 * 64 * 64 * 4));
}

BOOST_AUTO_TEST_CASE(blocks_that_cannot_be_are_told) {
  BOOST_TEST(refusal("bigbird:window=4") ==
             "bigbird: got window=4; it counts the query's own block and as many before it as after it: give an odd "
             "number, such as 3");
  BOOST_TEST(refusal("bigbird:block=2000") ==
             "bigbird: got block=2000; the longest sequence has 1024 tokens, which would be one block, and every query "
             "would see all. Give a smaller one, or use full");
  BOOST_TEST(refusal("bigbird:global_left=10,global_right=7") ==
             "bigbird: got 17 global blocks of 64 tokens; the longest sequence has 1024 tokens in 16 blocks. Give "
             "fewer, or use full");
  BOOST_TEST(refusal("bigbird:causal=yes,global_right=1") ==
             "bigbird: got causal=yes and global_right=1; no query may see the last block before its time. Give "
             "global_right=0");
  BOOST_TEST(refusal("bigbird:causal=yes,full_below=704") ==
             "bigbird: got causal=yes and full_below=704; a causal model is one pattern for all lengths. Leave one of "
             "them away");
  BOOST_CHECK_NO_THROW(make_mixer("bigbird", {.C = C, .heads = H, .max_length = 10}));  // the usual ones serve any
  Context ctx;
  BOOST_TEST(error_of([&] {
               made("bigbird")->forward(zeros({1, 8, C}), {.mask = causal_mask()}, ctx);
             }) ==
             "bigbird: the mask is causal, which this attention does not honour: global blocks at the end and drawn "
             "ones are of the whole sequence; give causal=yes. Leave it out, or use full");
}

BOOST_AUTO_TEST_SUITE_END()
