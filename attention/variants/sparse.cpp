// Sparse Transformer: two small patterns in place of all pairs, chosen so that two steps reach every token. Write the
// sequence in rows of l tokens, position p in row p div l and column p mod l. The first pattern is what is near, the
// second one leads to every row:
//
//   strided   A1(i) = { j : |i - j| < l }                 A2(i) = { j : (i - j) mod l = 0 }          own column
//   fixed     A1(i) = { j : j div l = i div l }           A2(i) = { j : j mod l >= l - c }           last c columns
//
// under a causal mask only j <= i of them (the paper's form; both sides are our extension). Strided suits images and
// audio, l the length of a row: A2 is the column above a pixel. Text has no such period, and there fixed is better:
// each row collects what it found in its last c columns, which everybody reads. With groups, head h has c columns of
// its own, the (h mod groups)-th c from the end; only those of group 0 come last in their row, and can collect all of
// it.
//
// heads=merged: every head has A1 and A2 in one. alternate: even layers have A1, odd ones A2; a token then reaches
// every earlier one in two layers (A1 must lie below A2: fixed fails in the other order). split: the first half of the
// heads has A1, the others A2. first, second: one of them alone; fixed's second alone would leave the first l - c
// tokens without a key. inclusive=yes: strided's A1 has |i - j| <= l, the paper's set, one key more than in its code.
//
// Time O(n (l + n / l) D) for strided and O(n (l + c n / l) D) for fixed, n sqrt(n) with l near sqrt(n); memory O(n D).
// It pays off from some thousand tokens on, where every layer should still hear of the whole text. It loses where near
// tokens are enough (a window is linear in n), and strided loses on text: the paper has 1.13 bits per character on
// enwik8 against 1.00 for dense and 0.99 for fixed. Decoding looks at l + n / l or l + c n / l keys for each token; a
// layer that has A1 alone keeps only the last l. How it is computed: attention/sparse_core.h.
// (Generating Long Sequences with Sparse Transformers: Child et al., 2019.)
#include "attention/multi_head.h"
#include "attention/sparse_core.h"

namespace heed {
namespace {

long stride_of(const VariantOptions& options, const MixerOptions& mixer) {
  const long given = options.number("stride");
  HEED_CHECK(given != 0, "sparse", "got stride=0; it must be at least 1, or -1 for the usual one");
  if (given > 0) return given;
  return options.word("kind") == "strided" && mixer.grid.columns > 0 ? mixer.grid.columns : 128;
}

// The columns of each head's summaries
void set_columns(SummaryPattern& parts, const VariantOptions& options) {
  const long l = parts.block, c = options.number("c"), given = options.number("groups");
  HEED_CHECK(c <= l, "sparse", "got c=", c, " and a stride of ", l, "; of ", l, " columns at most ", l,
             " can be summaries. Give c= too");
  HEED_CHECK(given != 0 && given <= l / c, "sparse", "got groups=", given, " with c=", c, " and a stride of ", l,
             "; it must be 1 to ", l / c, ", as many times as c columns fit, or -1 for one per head where they do");
  parts.columns = c, parts.groups = given > 0 ? given : std::min(parts.heads, l / c);
}

// Which heads have the first pattern, and which the second
void set_heads(SummaryPattern& parts, const VariantOptions& options, const MixerOptions& mixer) {
  const long H = parts.heads = mixer.heads;
  const std::string& way = options.word("heads");
  HEED_CHECK(way != "split" || H > 1, "sparse",
             "got heads=split and 1 head; there must be at least 2 to be shared out. Use heads=merged");
  HEED_CHECK(way != "second" || options.word("kind") == "strided", "sparse",
             "got kind=fixed and heads=second; alone it leaves the first tokens without a key in all layers. Use "
             "alternate, split or merged, which have the first pattern too");
  const bool first = way == "first" || (way == "alternate" && mixer.layer % 2 == 0);
  parts.own = way == "split" ? (H + 1) / 2 : way == "merged" || first ? H : 0;
  parts.from = way == "split" ? parts.own : first ? H : 0;
}

SparseRule rule_of(const VariantOptions& options, const MixerOptions& mixer) {
  SparseRule rule{.fixed = options.word("kind") == "fixed", .parts = {.block = stride_of(options, mixer)}, .window = 0};
  const bool inclusive = options.yes("inclusive");
  HEED_CHECK(!inclusive || !rule.fixed, "sparse",
             "got kind=fixed and inclusive=yes; that is one key more in the window of kind=strided. Leave it out");
  set_heads(rule.parts, options, mixer);
  if (rule.fixed)
    set_columns(rule.parts, options);
  else
    rule.window = rule.parts.block - (inclusive ? 0 : 1);
  return rule;
}

std::vector<VariantOption> options() {
  std::vector<VariantOption> list = {
      {.name = "kind", .help = "where the second pattern looks", .standard = "fixed", .choices = {"fixed", "strided"}},
      {.name = "heads",
       .help = "who has which of the two patterns",
       .standard = "merged",
       .choices = {"merged", "alternate", "split", "first", "second"}},
      {.name = "stride",
       .help = "l, tokens in a row; -1: strided those of the image, else 128",
       .standard = "-1",
       .low = -1,
       .high = 1e6},
      {.name = "c", .help = "summary columns of fixed", .standard = "32", .low = 1, .high = 1e6},
      {.name = "groups",
       .help = "heads with columns of their own; -1: all that fit",
       .standard = "-1",
       .low = -1,
       .high = 1e6},
      yes_or_no("inclusive", "strided's window has l keys before the query, not l - 1", false)};
  for (const VariantOption& option : bias_options()) list.push_back(option);
  return list;
}

const RegisteredVariant sparse{
    {.name = "sparse",
     .summary = "near keys, and a column of keys that leads to every row",
     .formula = "o_i over j near i, or with j mod l >= l - c (fixed) or (i - j) mod l = 0 (strided): softmax attention",
     .time = {Growth::square, "c / l"},
     .memory = {Growth::linear},
     .source = "Child et al., 2019",
     .year = 2019,
     .when = "some thousand tokens of which every layer should hear: fixed for text, strided for images and audio",
     .when_not = "near tokens are enough, or the period of strided is not that of the data, as in text",
     .shown = {"sparse:stride=128,c=32", "sparse:kind=strided,stride=128"},
     .options = options,
     .make = [](const VariantOptions& options, const MixerOptions& mixer) {
       return multi_head<SparseCore>(mixer, rule_of(options, mixer), bias_of(options));
     }}};

}  // namespace
}  // namespace heed
