// `build/bench decoding`: one token at a time through the State of every attention variant that has one, late in a text
// against early in it. Full attention looks at all that came before; a window does not, and sums of features are as
// many numbers as ever: their token costs the same at any position, and their State does not grow.
#include <memory>

#include "bench/run.h"
#include "nn/mixing/registry.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

constexpr long kChannels = 512, kHeads = 8, kEarly = 64, kLate = 16384;
constexpr long kFurther = 4096;  // tokens beyond a position that still count as there; then it is put back

// A layer at a position of a text, and the next token
struct Decoder {
  std::shared_ptr<Mixer> mixer;
  std::unique_ptr<State> state;
  State::Tensors past = {};
  Tensor token = randn({1, 1, kChannels}, 2);
  long position;

  Decoder(const std::string& spec, long at)
      : mixer(make_mixer(spec, {.C = kChannels, .heads = kHeads, .max_length = at + kFurther})),
        state(mixer->start(1, at + kFurther)),
        position(at) {
    take(randn({1, at, kChannels}, 1));
    for (const auto& [name, tensor] : state->tensors()) past.emplace_back(name, clone(tensor));
  }

  void take(const Tensor& x) {
    const NoGrad no_grad;
    Context ctx;
    mixer->forward(x, {.mask = causal_mask(), .state = state.get()}, ctx);
  }
  void next() {
    if (state->length() == position + kFurther) state->restore(position, past);
    take(token);
  }
};

std::string kilobytes_of(const std::string& spec, long at) {
  Decoder decoder(spec, at);
  decoder.next();  // then what a long prompt brought and nobody sees any more is forgotten
  return format("%.0f KB", double(decoder.state->bytes()) / 1024);
}

Case case_of(const std::string& spec) {
  const auto at = [spec](long position) {
    const auto decoder = std::make_shared<Decoder>(spec, position);
    return [decoder] { decoder->next(); };
  };
  return {
      .group = "a token at position 16384 against one at 64: C 512, 8 heads; the ratio is how much faster it is late",
      .name = spec,
      .bar = {.ratio = spec == "linear" ? 0.9 : 0},
      .make = [=]() -> Action { return at(kLate); },
      .against = [=]() -> Action { return at(kEarly); },
      .remark = [spec] { return "State " + kilobytes_of(spec, kEarly) + " and " + kilobytes_of(spec, kLate); }};
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const Variant* variant : variants())
    for (const std::string& spec : shown_specs(*variant)) {
      const Capabilities can = make_mixer(spec, {.C = kChannels, .heads = kHeads})->can();
      if (can.decode && can.any_cut) list.push_back(case_of(spec));
    }
  return list;
}

const RegisteredBenchmark decoding{
    {"decoding", "One token at a time, late in a text against early in it, with every variant that decodes.", cases,
     run_cases}};

}  // namespace
}  // namespace heed::bench
