// `build/bench attention`: the softmax engine against PyTorch's scaled_dot_product_attention, and windows and causal
// attention against our own work without them. q, k and v are (B, n, H, D) in memory, seen as (B, H, n, D), on both
// sides. Amounts: two products, 4 D operations a pair and head, and 3.5 times that with backward: there five more, of
// which one makes the scores again.
#include <algorithm>

#include "attention/pattern_core.h"
#include "autograd/ops/views.h"
#include "bench/kernels.h"
#include "bench/report.h"
#include "tensor/allocator.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

struct Attention {
  long B = 1, H = 8, n = 1024, D = 64;
  bool causal = false;
  long window = -1;  // keys before the query, and after it if not causal; -1: all
  long dilation = 1;
  bool backward = true;
};

double pairs(const Attention& a) {
  const double n = double(a.n / a.dilation), w = std::min(double(a.window < 0 ? a.n : a.window), n - 1);
  const double causal = (w + 1) * (n - w) + w * (w + 1) / 2;  // of each residue
  return double(a.dilation) * (a.causal ? causal : 2 * causal - n);
}

double operations(const Attention& a) { return 4.0 * double(a.B * a.H * a.D) * pairs(a) * (a.backward ? 3.5 : 1.0); }

Variable attend(const Attention& a, const std::vector<Variable>& x) {
  const Pattern pattern{.window_left = a.window, .window_right = a.window, .dilation = a.dilation};
  const Variable q = transpose(x[0], 1, 2), k = transpose(x[1], 1, 2), v = transpose(x[2], 1, 2);
  PatternCore core({.heads = a.H, .head_width = a.D, .value_width = a.D}, {.pattern = pattern});
  static Context ctx;  // keeps what depends on sizes only, as a model's does
  return transpose(core.attend({q, k, v}, {.causal = a.causal}, ctx), 1, 2);  // (B, n, H, D)
}

std::function<Action()> work_of(const Attention& a) {
  const auto shape = [a] { return Shape{a.B, a.n, a.H, a.D}; };
  if (a.backward) return forward_backward({shape(), shape(), shape()}, [=](auto& leaves) { return attend(a, leaves); });
  return [=]() -> Action {
    const std::vector<Variable> x = {randn(shape(), 1), randn(shape(), 2), randn(shape(), 3)};
    return [=] { attend(a, x); };
  };
}

std::string name_of(const Attention& a) {
  std::string name = a.window >= 0 ? "window " + std::to_string(a.window) : a.causal ? "causal" : "full";
  if (a.dilation > 1) name += " dilation " + std::to_string(a.dilation);
  if (a.window >= 0 && !a.causal) name += " both sides";
  if (a.B > 1) name += " B " + std::to_string(a.B);
  if (a.H != 8) name += " H " + std::to_string(a.H);
  if (a.D != 64) name += " D " + std::to_string(a.D);
  return name + " n " + std::to_string(a.n) + (a.backward ? ", f+b" : ", forward");
}

// Windows: forward by FlexAttention, compiled, which has no backward on a CPU; with backward by a mask of n x n pairs.
std::string request_of(const Attention& a) {
  if (a.window < 0) return request("sdpa", {a.B, a.H, a.n, a.D, a.causal, a.backward});
  return request(a.backward ? "sdpa_window" : "flex_window", {a.B, a.H, a.n, a.D, a.window});
}

Case against_torch(const std::string& group, const Attention& a, double bar) {
  return {.group = group,
          .name = name_of(a),
          .request = request_of(a),
          .amount = operations(a),
          .bar = {.ratio = bar},
          .make = work_of(a)};
}

// How much faster it is to leave pairs away, with what the pairs would allow.
Case against_own(const Attention& less, const Attention& more, double bar) {
  const std::string whole = name_of(more);
  const double allowed = pairs(more) / pairs(less);
  return {.group = "fewer pairs against our own whole: the ratio is how much faster",
          .name = name_of(less) + " / " + whole.substr(0, whole.find(' ')),
          .amount = operations(less),
          .bar = {.ratio = bar},
          .make = work_of(less),
          .against = work_of(more),
          .remark = [=] { return "the pairs allow " + ratio_text(allowed); }};
}

// The most bytes that are alive during forward and backward, over those of q, k, v, o and their gradients.
double memory_ratio(const Attention& a) {
  const size_t before = memory_stats().live;
  const Action action = work_of(a)();
  reset_peak();
  action();
  return double(memory_stats().peak - before) / (8.0 * 4.0 * double(a.B * a.n * a.H * a.D));
}

std::string memory_remark(const std::vector<Attention>& list) {
  constexpr double kMost = 1.5;  // the bar
  std::string text = "memory over q, k, v, o and their gradients:";
  bool met = true;
  for (const Attention& a : list) {
    const double ratio = memory_ratio(a);
    met &= ratio <= kMost;
    text += (a.window >= 0 ? " window " : " full ") + ratio_text(ratio) + ",";
  }
  return text + " at most " + ratio_text(kMost) + (met ? " met" : " SHORT");
}

std::vector<Case> torch_cases() {
  std::vector<Case> all;
  for (const long n : {1024, 2048, 4096, 8192}) {
    all.push_back(against_torch("B 1, H 8, D 64", {.n = n}, 1.05));
    all.push_back(against_torch("B 1, H 8, D 64", {.n = n, .causal = true}, 1.2));
  }
  for (const long n : {1024, 4096})
    for (const bool causal : {false, true})
      all.push_back(against_torch("forward alone", {.n = n, .causal = causal, .backward = false}, 0));
  all.push_back(against_torch("other sizes", {.B = 8, .H = 4, .n = 512, .causal = true}, 1.6));
  for (const long D : {32, 128})
    for (const bool causal : {false, true})
      all.push_back(against_torch("other sizes", {.n = 2048, .D = D, .causal = causal}, 1.0));
  all.push_back(against_torch("other sizes", {.n = 4096, .causal = true, .window = 256}, 0));
  for (const long n : {4096, 16384})
    all.push_back(against_torch("windows forward, against compiled FlexAttention",
                                {.n = n, .causal = true, .window = 256, .backward = false}, 2));
  return all;
}

std::vector<Case> cases() {
  constexpr double kOfPairs = 0.65;     // of the speed-up that the pairs of a window allow
  constexpr double kCausalTime = 0.56;  // of the time of full attention
  std::vector<Case> all = torch_cases();
  const Attention causal{.n = 4096, .causal = true}, window{.n = 4096, .causal = true, .window = 256};
  all.push_back(against_own(causal, {.n = 4096}, 1 / kCausalTime));
  all.push_back(against_own(window, causal, kOfPairs * pairs(causal) / pairs(window)));
  constexpr double kDilatedTime = 1.3;  // of the time of the window without dilation
  for (const bool sided : {true, false}) {
    const Attention dense{.n = 8192, .causal = sided, .window = 256};
    Attention dilated = dense;
    dilated.dilation = 4;
    all.push_back(against_own(dilated, dense, 1 / kDilatedTime));
  }
  // Two heads where the whole takes seconds; memory with eight.
  const Attention whole{.H = 2, .n = 16384, .causal = true};
  const Attention band{.H = 2, .n = 16384, .causal = true, .window = 256};
  Case last = against_own(band, whole, kOfPairs * pairs(whole) / pairs(band));
  last.remark = [before = last.remark] {
    return before() + "; " + memory_remark({{.n = 16384, .causal = true, .window = 256}, {.n = 16384}});
  };
  all.push_back(last);
  return all;
}

const RegisteredBenchmark attention{
    {"attention", "Softmax attention against PyTorch, and windows against the whole.", cases, run_cases}};

}  // namespace
}  // namespace heed::bench
