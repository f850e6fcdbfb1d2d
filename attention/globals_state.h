// GlobalsState: what decoding remembers of a window with global tokens at known positions: keys and values in reach of
// the window, those of the global tokens, and, until the last of these has come, the keys and values by which a global
// token sees all. It does not grow with the text.
#pragma once

#include "attention/key_value_state.h"

namespace heed {

class GlobalsState : public State {
 public:
  struct Sizes {
    long reach;    // of the window
    long last;     // the position of the last global token
    long globals;  // how many there are
  };
  GlobalsState(long batch, long max_length, const Module& owner, const Sizes& sizes);

  void reset() override;
  Tensors tensors() const override;

  KeyValueState window, globals;
  KeyValueState& all();                     // of all tokens so far
  void last_has_come() { all_ = nullptr; }  // frees its memory

 protected:
  void take(const Tensors& tensors) override;
  void adopt(const Tensors& tensors) override;

 private:
  const Module& owner_;
  long last_;
  std::unique_ptr<KeyValueState> all_ = nullptr;
};

}  // namespace heed
