#include "models/sublayer.h"

#include "system/error.h"

namespace heed {
namespace {

// "c (cross-attention), f (feed-forward) and s (attention)"
std::string all_letters() {
  const std::vector<const SublayerKind*> all = all_sublayers.all();
  std::string text;
  for (size_t i = 0; i < all.size(); i++) text += (i == 0 ? "" : i + 1 < all.size() ? ", " : " and ") + titled(*all[i]);
  return text;
}

}  // namespace

MixerOptions mixer_options(const SublayerOptions& o) {
  return {.C = o.stack.C,
          .heads = o.stack.heads,
          .max_length = o.stack.max_length,
          .bias = o.stack.bias,
          .dropout = o.stack.attention_dropout,
          .in = o.in,
          .out = o.out,
          .layer = o.number,
          .layers = o.count,
          .grid = o.stack.grid};
}

std::unique_ptr<State> Sublayer::start(long, long) {
  fail("stack", "the sublayer ", path(), " keeps no state: token-by-token decoding is not defined for it");
}

Capabilities Sublayer::can() const {
  Capabilities all;
  for (const Capability& each : all_capabilities()) all.*each.has = !each.need;
  return all;
}

std::string titled(const SublayerKind& kind) { return kind.name + " (" + kind.what + ")"; }

std::vector<const SublayerKind*> sublayer_kinds(const char* op, const std::string& ordering) {
  HEED_CHECK(!ordering.empty(), op, "the ordering is empty; it must have at least one letter, such as sfsf");
  std::vector<const SublayerKind*> kinds;
  for (const char letter : ordering) {
    kinds.push_back(all_sublayers.find_or_null(std::string(1, letter)));
    HEED_CHECK(kinds.back(), op, "the ordering '", ordering, "' has '", letter, "' at place ", kinds.size() - 1,
               "; the letters are ", all_letters());
  }
  return kinds;
}

}  // namespace heed
