// Sublayer: what a letter of a stack's ordering stands for, the branch f of x + f(norm(x)). Norm, sum and dropout are
// the stack's. A letter is one file in models/sublayers/, which registers itself:
//
//   struct Halving : Sublayer {
//     explicit Halving(const SublayerOptions&) {}
//     Variable forward(const Variable& h, const StackIn&, State*, Context&) override { return h * 0.5; }
//   };
//   const RegisteredSublayer halving{{.name = "h", .what = "halving", .make = make_sublayer<Halving>}};
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/stack.h"
#include "system/registry.h"

namespace heed {

// What a letter's maker is told.
struct SublayerOptions {
  const StackOptions& stack;
  long place;          // in the ordering, from 0
  long number, count;  // its number among those of its letter, from 0, and how many of them there are
  Shared& shared;      // parameters that the layers of the stack have in common
  Init in, out;        // of the first and of the last layer of the branch
};
MixerOptions mixer_options(const SublayerOptions& options);  // of a mixer, without rotary and shared

class Sublayer : public Module {
 public:
  // (B, T, C) -> (B, T, C). in: all that the stack got, so that padding can be told from tokens (in.mask.lengths).
  // state: what start() gave; null: nothing is remembered.
  virtual Variable forward(const Variable& h, const StackIn& in, State* state, Context& ctx) = 0;
  // Asked of those that see more than a token; by default throws a sentence.
  virtual std::unique_ptr<State> start(long batch, long max_length);
  virtual Capabilities can() const;  // by default every promise and no need: what one token alone asks for
  virtual Mixer* mixer() const { return nullptr; }  // of the sequence itself, which may add nodes beside the tokens
};

// What a sublayer looks at to compute a token. All that a stack has to know of a letter follows from it.
enum class Sees {
  token,     // the token alone: it has no state, and ends a block
  sequence,  // also other tokens of the sequence: it has a state, and begins a block
  source     // another sequence: it has a state, cannot be reversible, and is not for a language model
};

struct SublayerKind {
  std::string name;  // its letter
  std::string what;  // for people: "attention"
  Sees sees = Sees::token;
  std::function<std::unique_ptr<Sublayer>(const SublayerOptions& options)> make = {};
};

// A static object of this type puts a letter into the registry, for as long as it lives.
inline constinit Registry<SublayerKind> all_sublayers{"stack", "sublayer"};
using RegisteredSublayer = Registration<all_sublayers>;

template <class S> std::unique_ptr<Sublayer> make_sublayer(const SublayerOptions& options) {
  return std::make_unique<S>(options);
}

// The kind of every letter. Throws a sentence if there is none, or if a letter is unknown; `op` says who asks.
std::vector<const SublayerKind*> sublayer_kinds(const char* op, const std::string& ordering);
std::string titled(const SublayerKind& kind);  // "s (attention)"

}  // namespace heed
