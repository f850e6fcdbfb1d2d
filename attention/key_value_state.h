// KeyValueState: the keys and values of the tokens seen so far, what the field calls the KV cache. Memory grows with
// the text, O(n), unless the queries look back only so far: then only what is still in reach is kept, O(reach).
#pragma once

#include "autograd/variable.h"
#include "nn/mixing/state.h"

namespace heed {

class KeyValueState : public State {
 public:
  // reach: how many tokens before its own a query may look at; -1: all. owner: the mixer that started it.
  KeyValueState(long batch, long max_length, long reach, const Module& owner);

  void reset() override;
  Tensors tensors() const override;  // "k" and "v", as soon as there are some

  // Takes in k (B, Hk, T, D) and v (B, Hk, T, Dv) behind what is there. It may forget those out of reach. Where there
  // are no keys k is undefined, always.
  void append(const Tensor& k, const Tensor& v);
  long keys_after(long T) const;  // how many there will be when T more were appended

  // append, and all that is there now; gradients flow into the new ones, and none into those of before.
  struct KeysAndValues {
    Variable k, v;
  };
  KeysAndValues appended(const Variable& k, const Variable& v);

  Tensor k() const;                                     // (B, Hk, keys(), D)
  Tensor v() const;                                     // (B, Hk, keys(), Dv)
  long keys() const { return used_; }                   // at most length(): the last ones
  long first_key() const { return length() - keys(); }  // the position of key 0

  void keep_source(const Tensor& k, const Tensor& v);  // those of another sequence, in cross-attention

 protected:
  void take(const Tensors& tensors) override;
  void adopt(const Tensors& tensors) override;

 private:
  bool fits(long T) const { return v_.defined() && used_ + T <= v_.size(2); }
  long still_needed() const;  // of those that are there, when there is no more room
  void make_room(const Tensor& k, const Tensor& v);

  long reach_, used_ = 0;
  Tensor k_, v_;  // (B, Hk, capacity, D) and (B, Hk, capacity, Dv), the first `used` rows are in use
};

}  // namespace heed
