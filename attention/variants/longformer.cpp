// Longformer: a window around every token, and some global tokens that see all and are seen by all. What a task must
// collect (the first token of a classifier, the tokens of a question) is global, everything else is near.
//
//   A(i) = { j : j = i + t d, |t| <= w }  and G            i not in G: softmax over q_i k_j, with v_j
//   A(i) = all tokens                                      i in G: softmax over q'_i k'_j, with v'_j
//
// Global rows have projections of their own, q', k' and v'; to others a global token is a key as all are, by k and v. G
// is the first `globals` tokens, those `at` some positions, and with marked=yes whatever a batch marks, in each sample
// its own (Tokens::global). Layers differ: window=32/64/128 is spread over the layers from the bottom to the top, each
// in turn for as many layers (the last ones for one more, where that leaves a rest), and so is dilation, the step d of
// the last `dilated` heads. Windows that grow are better than equal ones, and dilation helps upper layers only.
//
// Time O(n (w + g) D), memory O(n D). Local rows are one call of the engine, a band of tiles and the tiles of global
// keys; the few global rows are another over all keys, and put back. It pays off for documents of thousands of tokens
// with a few that ask; it loses where every token asks something far away, and for texts not longer than 2 w.
//
// For language models there are no global tokens by default: a causal window that decodes with the last w d keys. With
// causal_global=yes (our extension) global tokens see their past only; decoding then keeps their keys and values too.
// (Longformer, The Long-Document Transformer: Beltagy et al., 2020.)
#include <algorithm>
#include <numeric>

#include "attention/band_core.h"
#include "attention/globals_state.h"
#include "attention/heads.h"
#include "attention/multi_head.h"
#include "attention/seeing/visible_once.h"
#include "autograd/ops/bf16.h"
#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/rows.h"
#include "autograd/ops/views.h"
#include "nn/mixing/registry.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

// What one layer is
struct Choice {
  long window, dilation;      // of this layer
  std::vector<long> groups;   // heads without a dilation and with it; one number: all are alike
  GlobalPositions positions;  // of global tokens
  bool marked, causal;        // may a batch mark others? may a mask be causal?

  bool globals() const { return marked || positions.last() >= 0; }
};

class LongformerCore : public Core {
 public:
  LongformerCore(const MixerOptions& mixer, const Choice& choice)
      : choice_(choice), mixer_(mixer), turns_(mixer.head_width) {
    const Pattern plain{.window_left = choice.window, .window_right = choice.window};
    Pattern dilated = plain;
    dilated.dilation = choice.dilation;
    if (choice.groups.size() > 1)
      bands_ = {&child<BandCore>("near", mixer, plain), &child<BandCore>("far", mixer, dilated)};
    if (choice.groups.size() == 1) bands_ = {&child<BandCore>("near", mixer, dilated)};
    const long rows = (mixer.heads + mixer.key_heads) * mixer.head_width + mixer.key_heads * mixer.value_width;
    if (choice.globals())
      global_ = &child<Linear>("global", mixer.C, rows, Linear::Options{.bias = mixer.bias, .weight = mixer.in});
  }

  Variable attend(const Heads& heads, const Mask& mask, Context& ctx) override {
    if (heads.state) return with_state(heads, mask, ctx);
    const auto globals = among(heads, ctx);
    if (!globals)
      return groups(heads, mask,
                    [&](BandCore& band, const Heads& part, const Mask& own) { return band.attend(part, own, ctx); });
    // Local rows first: so backward has k', v' and their gradients behind it when it comes to them.
    const Variable local = local_rows(heads, mask, *globals, ctx);
    const auto [k, v] = global_keys(heads, 0, ctx);
    return local + put_back(global_rows(heads, {k, v, *globals, 0}, mask, ctx), *globals, heads.q.size(2));
  }

  Tensor weights(const Heads& heads, const Mask& mask, Context& ctx) override {
    const auto globals = among(heads, ctx);
    const Variable local = groups(heads, mask, [&](BandCore& band, const Heads& part, const Mask& own) -> Variable {
      return globals ? band.local_weights(part, own, *globals, ctx) : band.weights(part, own, ctx);
    });
    if (!globals) return local.value();
    const auto [k, v] = global_keys(heads, 0, ctx);
    const GlobalCall call{k, v, *globals, 0};
    const Tensor rows = softmax_attention_weights({global_queries(heads, call, ctx), k, v}, seen(heads, call, mask));
    return local.value() + rows_added(rows, unsqueeze(globals->rows, 1), heads.q.size(2));
  }

  Capabilities can() const override {
    Capabilities can = every_mask();
    can.rotary = true;
    can.globals = choice_.globals();
    can.because = "its windows are those of one sequence; globals=, at= and marked=yes give it global tokens";
    if (!choice_.globals()) return can;
    can.causal = can.strictly_causal = can.decode = can.any_cut = can.bounded = choice_.causal;
    can.because = choice_.causal ? "its windows are those of one sequence"
                                 : "symmetric global tokens read the future; give causal_global=yes";
    return can;
  }

  long reach() const override { return choice_.window * choice_.dilation; }

  std::unique_ptr<State> start(long batch, long max_length) override {
    if (!choice_.globals()) return nullptr;
    const long last = choice_.positions.last(), count = long(choice_.positions.between(0, last + 1).size());
    return std::make_unique<GlobalsState>(batch, max_length, *this, GlobalsState::Sizes{reach(), last, count});
  }

 private:
  // What global rows are made of besides x
  struct GlobalCall {
    Variable k, v;           // k' and v' of all tokens
    const Globals& globals;  // among those of x
    long before;             // tokens before them
  };

  using AttendBand = std::function<Variable(BandCore& band, const Heads& part, const Mask& own)>;
  Variable groups(const Heads& heads, const Mask& mask, const AttendBand& attend) {
    return by_head_groups(heads, choice_.groups, [&](const Heads& part, long first) {
      return attend(*bands_[first > 0], part, mask_of_heads(mask, first, first + part.q.size(1)));
    });
  }
  Variable local_rows(const Heads& heads, const Mask& mask, const Globals& globals, Context& ctx) {
    return groups(heads, mask, [&](BandCore& band, const Heads& part, const Mask& own) {
      return band.local_rows(part, own, globals, ctx);
    });
  }

  // null: there are none in this batch
  std::shared_ptr<const Globals> among(const Heads& heads, Context& ctx) const {
    if (!choice_.globals()) return nullptr;
    const Tensor marks = heads.tokens ? heads.tokens->global : Tensor();
    const auto globals = globals_once(ctx, choice_.positions, heads.q.size(2), marks, heads.q.value().device());
    return globals->count() > 0 ? globals : nullptr;
  }

  // x W'^T in heads, of the rows begin .. of W': queries, keys, values. In bf16 rounded as MultiHead does it.
  std::vector<Variable> projected(const Variable& x, long begin, const std::vector<HeadPart>& parts,
                                  const Context& ctx) {
    long end = begin;
    for (const HeadPart& part : parts) end += part.heads * part.width;
    const Variable bias = global_->bias();
    std::vector<Variable> made = split_heads(
        linear(x, slice(global_->weight, 0, begin, end), bias.defined() ? slice(bias, 0, begin, end) : bias, ctx),
        parts);
    if (ctx.bf16)
      for (Variable& y : made) y = bf16_operand(y, true);
    return made;
  }

  KeyValueState::KeysAndValues global_keys(const Heads& heads, long before, const Context& ctx) {
    HeadPart k{mixer_.key_heads, mixer_.head_width};
    if (mixer_.rotary) k.table = turns(heads, before, {});
    const auto made =
        projected(*heads.x, mixer_.heads * mixer_.head_width, {k, {mixer_.key_heads, mixer_.value_width}}, ctx);
    return {made[0], made[1]};
  }

  Variable global_queries(const Heads& heads, const GlobalCall& call, const Context& ctx) {
    HeadPart q{mixer_.heads, mixer_.head_width};
    if (mixer_.rotary) q.table = turns(heads, call.before, call.globals.index);
    return projected(rows_at(*heads.x, call.globals.rows), 0, {q}, ctx)[0];
  }

  // Rotations of the tokens of x, or of some of them: i32 (1 or B, P)
  Tensor turns(const Heads& heads, long before, const Tensor& index) {
    const DType dtype = heads.x->dtype();
    const Device device = heads.x->value().device();
    const Tensor* given = heads.query_positions;
    if (!given && !index.defined()) return turns_.rows(heads.x->size(1), before, dtype, device);
    Tensor places =
        given ? *given : slice(unsqueeze(arange(before + heads.x->size(1)), 0), 1, before, before + heads.x->size(1));
    if (!index.defined()) return turns_.at(places, dtype, device);
    const long lists = std::max(places.size(0), index.size(0));
    places = rows_at(unsqueeze(expand(places, {lists, places.size(1)}), 2), index);  // nobody is at 0
    return turns_.at(squeeze(places, 2), dtype, device);
  }

  Visible seen(const Heads& heads, const GlobalCall& call, const Mask& mask) const {
    const Shape shape{heads.q.size(0), heads.q.size(1), heads.q.size(2), call.k.size(2)};
    return of_queries(visible_pairs("longformer", mask, {}, shape), call.globals.index).on(call.globals.rows.device());
  }

  // (B, H, P, Dv)
  Variable global_rows(const Heads& heads, const GlobalCall& call, const Mask& mask, Context& ctx) {
    const std::string key = "global rows " + heads.q.shape().str() + " " + std::to_string(call.before) + " " +
                            text_of(call.globals.rows.device());
    const auto visible = call.globals.made<Visible>(ctx, key, mask, [&] { return seen(heads, call, mask); });
    const bool drops = ctx.train && mixer_.dropout > 0;
    return softmax_attention(
               {global_queries(heads, call, ctx), call.k, call.v}, *visible,
               drops ? SoftmaxOptions{.dropout = mixer_.dropout, .key = ctx.random(*this)} : SoftmaxOptions())
        .o;
  }

  // (B, H, P, Dv) -> (B, H, T, Dv), zeros elsewhere; in memory (B, T, H, Dv), as the local rows are
  static Variable put_back(const Variable& o, const Globals& globals, long T) {
    const Variable rows = rows_added(joined_heads(o), globals.rows, T);
    return transpose(reshape(rows, {o.size(0), T, o.size(1), o.size(3)}), 1, 2);
  }

  Variable with_state(const Heads& heads, const Mask& mask, Context& ctx);

  Choice choice_;
  MixerOptions mixer_;
  std::vector<BandCore*> bands_;  // one for each group of heads
  Linear* global_ = nullptr;      // q', k', v': rows as those of MultiHead's `in`
  RotaryTable turns_;
};

// Tokens behind others. What was in reach and is forgotten can be seen no more, unless it is global.
Variable LongformerCore::with_state(const Heads& heads, const Mask& mask, Context& ctx) {
  auto& state = State::of<GlobalsState>(*heads.state, *this);
  const long T = heads.q.size(2), before = state.length(), S = before + T, first = S - state.window.keys_after(T);
  HEED_CHECK(
      !heads.tokens || !heads.tokens->global.defined(), "longformer",
      "marks of global tokens and a state were given; while decoding global tokens are those of globals= and at=");
  HEED_CHECK(first == 0 || !mask.of_batch(), "longformer", first,
             " tokens are out of reach and were forgotten; the mask must not have lengths, segments, ranges or single "
             "pairs any more");
  const GlobalPositions& chosen = choice_.positions;
  const Globals globals = globals_among(chosen, before, T, {}, heads.q.value().device());

  auto [k, v] = state.window.appended(heads.k, heads.v);
  if (const long far = long(chosen.between(0, first).size())) {  // global tokens that are out of reach
    k = concatenate({Variable(slice(state.globals.k(), 2, 0, far)), k}, 2);
    v = concatenate({Variable(slice(state.globals.v(), 2, 0, far)), v}, 2);
  }
  const Variable local =
      groups(heads.with(heads.q, k, v), mask, [&](BandCore& band, const Heads& part, const Mask& own) {
        return band.later_rows(part, own, {chosen, first}, ctx);
      });
  if (globals.count() > 0)
    state.globals.append(rows_at(heads.k.value(), unsqueeze(globals.rows, 1)),
                         rows_at(heads.v.value(), unsqueeze(globals.rows, 1)));
  if (before > chosen.last()) return local;
  const auto [global_k, global_v] = global_keys(heads, before, ctx);
  const auto read = state.all().appended(global_k, global_v);
  if (S > chosen.last()) state.last_has_come();
  if (globals.count() == 0) return local;
  return local + put_back(global_rows(heads, {read.k, read.v, globals, before}, mask, ctx), globals, T);
}

// ---- options

// The entry of a list that serves this layer: each for layers / n of them, the last ones for one more if there is a
// rest.
long of_layer(const VariantOptions& options, const std::string& name, const MixerOptions& mixer) {
  const std::vector<long> list = options.numbers(name);
  const long n = long(list.size());
  HEED_CHECK(n <= mixer.layers, "longformer", "got ", name, "=", options.word(name), ", a list of ", n, " for ",
             mixer.layers, " layers; there must be at most one for each");
  const long least = mixer.layers / n, usual = n - mixer.layers % n;  // so many serve no more than that
  const long layer =
      mixer.layer < usual * least ? mixer.layer / least : usual + (mixer.layer - usual * least) / (least + 1);
  return list[size_t(layer)];
}

std::vector<long> groups_of(const VariantOptions& options, const MixerOptions& mixer, long dilation) {
  const long dilated = options.number("dilated"), serves = mixer.heads / mixer.key_heads;
  HEED_CHECK(dilated <= mixer.heads && dilated % serves == 0, "longformer", "got dilated=", dilated, "; there are ",
             mixer.heads, " heads, and each head of keys serves ", serves,
             " of them: it must be at most as many, and a multiple of that");
  if (dilation == 1 || dilated == 0 || dilated == mixer.heads) return {mixer.heads};
  return {mixer.heads - dilated, dilated};
}

GlobalPositions positions_of(const VariantOptions& options, const MixerOptions& mixer) {
  GlobalPositions positions{options.number("globals"), options.numbers("at")};
  std::vector<long>& at = positions.at;
  if (at == std::vector<long>{-1}) at.clear();
  std::sort(at.begin(), at.end());
  HEED_CHECK((at.empty() || at[0] >= 0) && std::adjacent_find(at.begin(), at.end()) == at.end(), "longformer",
             "got at=", options.word("at"), "; it is a list of positions from 0 on, each once, or -1 for none");
  HEED_CHECK(positions.last() < mixer.max_length, "longformer", "got globals=", positions.first,
             " and at=", options.word("at"), "; the longest text has ", mixer.max_length,
             " tokens (max_length), and position ", positions.last(), " is beyond it");
  return positions;
}

Choice choice_of(const VariantOptions& options, const MixerOptions& mixer) {
  const long dilation = of_layer(options, "dilation", mixer);
  return {of_layer(options, "window", mixer),
          dilation,
          groups_of(options, mixer, dilation),
          positions_of(options, mixer),
          options.yes("marked"),
          options.yes("causal_global")};
}

std::vector<VariantOption> options() {
  return {{.name = "window",
           .help = "keys on each side, from the bottom layer up",
           .standard = "256",
           .high = 1e6,
           .parted_by = '/'},
          {.name = "dilation",
           .help = "positions per step, likewise",
           .standard = "1",
           .low = 1,
           .high = 1e6,
           .parted_by = '/'},
          {.name = "dilated", .help = "heads with a dilation, the last ones; 0: all", .standard = "0", .high = 1e6},
          {.name = "globals", .help = "first tokens that see all and are seen", .standard = "0", .high = 1e6},
          {.name = "at",
           .help = "positions of further ones, a list; -1: none",
           .standard = "-1",
           .low = -1,
           .high = 1e9,
           .parted_by = '/'},
          yes_or_no("marked", "tokens that a batch marks are global too", false),
          yes_or_no("causal_global", "under a causal mask global tokens see their past", false)};
}

const RegisteredVariant longformer{
    {.name = "longformer",
     .summary = "a window for each layer, and global tokens with projections of their own",
     .formula = "o_i over |j - i| <= w or j in G; for i in G over all j, by q', k' and v'",
     .time = {Growth::linear, "w"},
     .memory = {Growth::linear},
     .source = "Beltagy et al., 2020",
     .year = 2020,
     .when = "long documents of which a few tokens, a question or the first one, must know everything",
     .when_not = "every token asks something far away, or texts are not longer than the window",
     .shown = {"longformer", "longformer:globals=1", "longformer:window=64,dilation=4,dilated=0"},
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) {
       return multi_head<LongformerCore>(mixer, choice_of(options, mixer));
     }}};

}  // namespace
}  // namespace heed
