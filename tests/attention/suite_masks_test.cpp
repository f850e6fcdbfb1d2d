// Properties of the property suite: every part of a mask is honoured, or refused with a sentence.
#include <cmath>

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/compare.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/elementwise.h"
#include "tensor/ops/reduce.h"
#include "tensor/views.h"
#include "tests/oracle/suite.h"
#include "tests/support/compare.h"

using namespace heed;

namespace {

struct NamedMask {
  std::string name;
  Mask mask;
  bool scattered = false;  // it has segments that come back after they have ended
};

// i64 (2, T) by a rule for sample and token
template <class F> Tensor of_tokens(long T, F&& f) {
  std::vector<int64_t> all;
  for (long b = 0; b < 2; b++)
    for (long t = 0; t < T; t++) all.push_back(f(b, t));
  return from_vector(all, {2, T});
}

// Each part of a mask in one form or two, for a batch of two
std::vector<NamedMask> parts(long T, long H) {
  const Tensor documents = of_tokens(T, [](long b, long t) { return (t + 2 * b) / 6; });
  const Tensor again = of_tokens(T, [](long b, long t) { return (t * t + b) % 3; });  // segments that come back
  const Tensor first = of_tokens(T, [](long b, long t) { return (t * 7 + b) % 11 - 3; });
  const Tensor last = of_tokens(T, [T](long b, long t) { return (t * 5 + b) % (T + 4); });
  return {{"causal", causal_mask()},
          {"a window", window_mask(9, 4)},
          {"a left window", window_mask(20, -1)},
          {"lengths", length_mask(tensor({double(T), double(T / 2)}, i64))},
          {"documents", segment_mask(documents)},
          {"segments that come back", segment_mask(again), true},
          {"ranges", range_mask(stack(std::vector<Tensor>{first, last}, 2))},
          {"pairs", allow_mask(greater(noise({2, H, T, T}, 4), scalar(0.2, f64)))},
          {"pairs of keys", allow_mask(greater(noise({2, 1, 1, T}, 5), scalar(-0.5, f64)))}};
}

// What forward must say of the first part that the mixer does not honour; "": it honours all.
std::string refusal(const Trial& trial, const Mask& mask, bool scattered) {
  const Capabilities& can = trial.can;
  for (const MaskPart& part : mask_parts())
    if (part.given(mask) && !(can.*part.honoured)) {
      const std::string why = can.because.empty() ? "" : ": " + can.because;
      return trial.variant + ": the mask " + part.text + ", which this attention does not honour" + why +
             ". Leave it out, or use full";
    }
  return scattered && !can.scattered ? "a segment is one run of tokens" : "";
}

void check_mask(const Trial& trial, Mixer& mixer, const Tensor& x, const NamedMask& given, Findings& found) {
  Context ctx;
  const Mask& mask = given.mask;
  if (const std::string sentence = refusal(trial, mask, given.scattered); !sentence.empty()) {
    found.refuses(
        "forward", [&] { run(mixer, x, {.mask = mask}, ctx); }, sentence);
    return;
  }
  const Results got = results(mixer, x, mask, ctx), want = results_of(trial, trial.oracle_case(mixer, mask, f64), x);
  found.close("y", got.y, want.y, kExact);
  found.close("dx", got.dx, want.dx, kExact);
}

const RegisteredProperty honoured{
    {.name = "every_part_of_a_mask_is_honoured_or_refused", .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer();
       for (long T : trial.many ? std::vector<long>{17, 70} : std::vector<long>{33}) {
         const std::vector<NamedMask> all = parts(T, trial.sizes.heads);
         const Tensor x = trial.x(2, T);
         for (size_t i = 0; i < all.size(); i++)
           for (size_t j = i; j < all.size(); j++) {
             if (T != 17 && i > 0 && j > i)
               continue;  // all pairs of parts on few tokens only, those with causal on all
             const NamedMask both{all[i].name + (i == j ? "" : " and " + all[j].name), all[i].mask & all[j].mask,
                                  all[i].scattered || all[j].scattered};
             const auto at = found.at("T ", T, ", ", both.name);
             check_mask(trial, *mixer, x, both, found);
           }
       }
     }}};

const RegisteredProperty sees_nothing{
    {.name = "a_query_that_sees_nothing_collects_nothing",
     .does_not_apply = [](const Trial& trial) -> std::string {
       return trial.can.pairs ? "" : "it does not honour single pairs";
     },
     .check =
         [](const Trial& trial, Findings& found) {
           const auto mixer = trial.mixer();
           Context ctx;
           const long T = 35;
           const Tensor allow = ones({2, 1, T, 1}, boolean);
           fill(slice(allow, 2, 7, 9), 0);  // queries 7 and 8 see nothing
           const Mask mask = allow_mask(allow);
           const Results got = results(*mixer, trial.x(2, T), mask, ctx),
                         want = results_of(trial, trial.oracle_case(*mixer, mask, f64), trial.x(2, T));
           found.close("y of queries that see nothing", rows(got.y, 7, 9), rows(want.y, 7, 9), kExact);
           found.close("dx", got.dx, want.dx, kExact);
           found.check(std::isfinite(sum(got.y).item()), "an output is not finite");
           for (const auto& [path, gradient] : got.gradients)
             found.check(std::isfinite(sum(gradient).item()), "the gradient of ", path, " is not finite");
         }}};

std::string no_padding(const Trial& trial) { return trial.can.padding ? "" : "it does not honour lengths"; }

// The weaker promise of all who honour lengths: also of patterns that depend on how long the batch is.
const RegisteredProperty content{
    {.name = "padding_is_never_seen_and_its_rows_are_zeros",
     .does_not_apply = no_padding,
     .check = [](const Trial& trial, Findings& found) {
       const auto mixer = trial.mixer();
       const long T = 66;
       const Tensor x = trial.x(3, T), other = clone(x);
       for (auto [b, length] : {std::pair{1L, 40L}, {2, 0}}) fill(slice(slice(other, 0, b, b + 1), 1, length, T), 300);
       for (bool causal : trial.causal_or_not()) {
         const auto at = found.at(causal ? "causal" : "not causal");
         Context ctx;
         const Mask mask = causal_if(causal) & length_mask(tensor({double(T), 40, 0}, i64));
         const Results before = results(*mixer, x, mask, ctx), after = results(*mixer, other, mask, ctx);
         found.same("y with other padding", after.y, before.y);
         found.same("dx with other padding", after.dx, before.dx);
         for (const auto& [path, gradient] : before.gradients)
           found.close("the gradient of " + path, after.gradients.at(path), gradient, 0);
         for (auto [b, length] : {std::pair{1L, 40L}, {2, 0}}) {
           const Tensor zero = zeros({1, T - length, trial.C()}, f64);
           found.close("rows of padding", rows(sample(before.y, b), length, T), zero, 0);
           found.close("gradients of padding", rows(sample(before.dx, b), length, T), zero, 0);
         }
       }
     }}};

const RegisteredProperty padded{
    {.name = "a_padded_batch_equals_each_sample_alone",
     .does_not_apply = [](const Trial& trial) -> std::string {
       return !trial.can.padding       ? "it does not honour lengths"
              : !trial.can.length_free ? "what it does depends on the length of the batch"
                                       : "";
     },
     .check =
         [](const Trial& trial, Findings& found) {
           const auto mixer = trial.mixer();
           const long T = 66;
           const Tensor x = trial.x(4, T), dy = trial.x(4, T, f64, 9);
           for (bool causal : trial.causal_or_not()) {
             Context ctx;
             const Mask mask = causal_if(causal) & length_mask(tensor({double(T), 40, 1, 0}, i64));
             const Results all = results(*mixer, x, mask, ctx, dy);
             for (auto [b, length] : {std::pair{0L, T}, {1, 40}, {2, 1}, {3, 0}}) {
               const auto at = found.at("sample ", b, causal ? ", causal" : "");
               const Results want = results(*mixer, rows(sample(x, b), 0, length), causal_if(causal), ctx,
                                            rows(sample(dy, b), 0, length));
               found.close("y", rows(sample(all.y, b), 0, length), want.y, kExact);
               found.close("dx", rows(sample(all.dx, b), 0, length), want.dx, kExact);
             }
           }
         }}};

}  // namespace
