#include "nn/mixing/capabilities.h"

namespace heed {
namespace {

using C = Capabilities;

constexpr Capability kAll[] = {
    {"causal", &C::causal, false, "no output depends on a later token"},
    {"windows", &C::windows, false, "honours a mask's window"},
    {"padding", &C::padding, false, "never sees padding"},
    {"segments", &C::segments, false, "keeps documents of one sequence apart"},
    {"scattered", &C::scattered, false, "also segments that come back after they have ended"},
    {"ranges", &C::ranges, false, "honours a range of keys per query"},
    {"pairs", &C::pairs, false, "honours any mask of pairs"},
    {"strictly_causal", &C::strictly_causal, false, "makes no choice from later tokens"},
    {"length_free", &C::length_free, false, "a padded batch equals each sample alone"},
    {"cross", &C::cross, false, "takes keys and values from another sequence"},
    {"decode", &C::decode, false, "writes token by token"},
    {"any_cut", &C::any_cut, false, "chunks of any size equal the whole"},
    {"bounded", &C::bounded, false, "its state does not grow with the text"},
    {"exact", &C::exact, false, "equals full attention under its mask"},
    {"rotary", &C::rotary, false, "takes rotary positions"},
    {"drops", &C::drops, false, "has weights that dropout can drop"},
    {"globals", &C::globals, false, "takes tokens that are marked as global"},
    {"needs_max_length", &C::needs_max_length, true, "has a largest length"},
    {"random", &C::random, true, "draws random numbers"},
    {"widens", &C::widens, true, "adds nodes beside the tokens"},
};

constexpr MaskPart kParts[] = {
    {"is causal", &C::causal, [](const Mask& m) { return m.causal; }},
    {"has a window", &C::windows, [](const Mask& m) { return m.window_left >= 0 || m.window_right >= 0; }},
    {"has lengths", &C::padding, [](const Mask& m) { return m.lengths.defined(); }},
    {"has segments", &C::segments, [](const Mask& m) { return m.segments.defined(); }},
    {"has ranges", &C::ranges, [](const Mask& m) { return m.ranges.defined(); }},
    {"has single pairs", &C::pairs, [](const Mask& m) { return m.allow.defined(); }},
};

}  // namespace

std::span<const Capability> all_capabilities() { return kAll; }
std::span<const MaskPart> mask_parts() { return kParts; }

Capabilities every_mask() {
  return {.causal = true,
          .windows = true,
          .padding = true,
          .segments = true,
          .scattered = true,
          .ranges = true,
          .pairs = true,
          .strictly_causal = true,
          .length_free = true,
          .decode = true,
          .any_cut = true,
          .drops = true};
}

Capabilities operator&(const Capabilities& a, const Capabilities& b) {
  Capabilities both;
  for (const Capability& each : kAll) {
    const bool first = a.*each.has, second = b.*each.has;
    both.*each.has = each.need ? first || second : first && second;
  }
  both.because = a.because.empty() || a.because == b.because ? b.because
                 : b.because.empty()                         ? a.because
                                                             : a.because + "; " + b.because;
  return both;
}

}  // namespace heed
