// State: what a layer remembers between calls (keys and values, a running sum, a recurrent cell). One forward serves
// all: T = 1 decodes, T = a prompt prefills, T = a segment is recurrence in training; uneven chunks are the same call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nn/module.h"
#include "system/error.h"

namespace heed {

class State {
 public:
  using Tensors = std::vector<std::pair<std::string, Tensor>>;

  // owner: the module that starts it, and the only one that may use it
  State(long batch, long max_length, const Module& owner);
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // The state as the kind that `user` starts; throws if another module started it.
  template <class S> static S& of(State& state, const Module& user) {
    auto* own = dynamic_cast<S*>(&state);
    HEED_CHECK(own && state.is_of(user), "state", "it was started by another mixer; each has its own");
    return *own;
  }
  bool is_of(const Module& user) const { return owner_ == &user; }

  long batch() const { return batch_; }
  long length() const { return length_; }  // tokens seen so far: the position of the next one
  long max_length() const { return max_length_; }

  virtual void reset() { length_ = 0, has_source_ = false; }  // forgets everything; the memory stays

  // All that it remembers besides length(), by name: what is counted, and saved with a run that goes on.
  virtual Tensors tensors() const = 0;
  long bytes() const;  // of the tensors
  // Goes on where a state of the same kind was after `length` tokens, with copies of its tensors. Not for what is made
  // of a source: that is made again.
  void restore(long length, const Tensors& tensors);

  // What it is now, to come back to: a step that was only tried, a block that is computed again in backward.
  struct Saved {
    long length = 0;
    Tensors tensors = {};     // copies
    bool has_source = false;  // then there are none: what is made of a source no longer changes
  };
  Saved saved() const;
  void restore(const Saved& saved);
  // The same with the tensors of `saved` themselves: what takes no memory cannot run out of it, so that a destructor
  // may call it. Nobody else may use them afterwards.
  void come_back(Saved&& saved);

  // In cross-attention a state holds what was made of another sequence, once.
  bool has_source() const { return has_source_; }

  // ---- for the layers

  // `count` tokens were taken in. Throws, before anything changes, if they do not fit.
  void check_room(long batch, long count) const;
  void advance(long count);
  void source_is_kept() { has_source_ = true; }

 protected:
  virtual void take(const Tensors& tensors) = 0;  // copies what tensors() of another one gave; there may be none yet
  virtual void adopt(const Tensors& tensors) { take(tensors); }          // the same tensors, without copies
  static Tensor named(const Tensors& tensors, const std::string& name);  // undefined: there is none of this name

 private:
  const Module* owner_;
  long batch_, length_ = 0, max_length_;
  bool has_source_ = false;
};

}  // namespace heed
