// Capabilities: what a mixer promises and what it needs. A stack of layers asks them before it is trained, the program
// `attention list` prints them, and the property suite (tests/attention) holds every variant to each of them: what is
// promised is tested, and what is not promised must be refused with a sentence.
#pragma once

#include <span>
#include <string>

#include "nn/mixing/mask.h"

namespace heed {

struct Capabilities {
  // ---- which parts of a mask it honours; Mixer::forward refuses the others
  bool causal = false;     // no output depends on a later token
  bool windows = false;    // window_left, window_right
  bool padding = false;    // lengths: what is padding is never seen, and its rows are zeros
  bool segments = false;   // tokens see their own segment only, if each is one run of tokens,
  bool scattered = false;  // and also segments that come back after they have ended
  bool ranges = false;     // a range of keys per query
  bool pairs = false;      // allow: any pair of query and key
  // ---- further promises
  bool strictly_causal = false;  // not even a choice (hash buckets, routing) is made from later tokens
  bool length_free = false;      // a padded batch equals each sample alone: nothing depends on the length T
  bool cross = false;            // takes a source
  bool decode = false;           // has a State
  bool any_cut = false;          // chunks of any size through a State equal the whole
  bool bounded = false;          // its State does not grow with the text, which may then go on for ever
  bool exact = false;            // equals full attention under its mask
  bool rotary = false;           // its scores are dot products, so that queries and keys may be rotated by positions
  bool drops = false;            // has weights that dropout can drop; otherwise it ignores dropout
  bool globals = false;          // takes tokens that are marked as global
  // ---- needs
  bool needs_max_length = false;  // has parameters per position, or anything else for max_length tokens at most
  bool random = false;            // draws numbers, also outside of dropout
  bool widens = false;            // adds nodes around the stack
  // Why it does not honour what it does not honour, as half a sentence: "it adds up keys before a query is known".
  // Empty if there is nothing to say.
  std::string because = {};
};

// What the softmax and the row engine can: every part of a mask, causal to the last bit, dropout, any cut. A variant
// takes it and takes back what its pattern cannot.
Capabilities every_mask();

// What two mixers can, one after the other: promises that both give, and needs that either has.
Capabilities operator&(const Capabilities& a, const Capabilities& b);

// All of them by name, for lists and tests.
struct Capability {
  const char* name;
  bool Capabilities::*has;
  bool need;         // a need; otherwise a promise
  const char* says;  // what it means that a mixer has it
};
std::span<const Capability> all_capabilities();

// A part of a mask, and the promise to honour it
struct MaskPart {
  const char* text;  // "the mask <has lengths>"
  bool Capabilities::*honoured;
  bool (*given)(const Mask& mask);
};
std::span<const MaskPart> mask_parts();

}  // namespace heed
