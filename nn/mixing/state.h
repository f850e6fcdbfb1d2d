// State: what a layer remembers between calls (keys and values, a running sum, a recurrent cell). One forward serves
// all: T = 1 decodes, T = a prompt prefills, T = a segment is recurrence in training; uneven chunks are the same call.
#pragma once

namespace heed {

class State {
 public:
  State(long batch, long max_length);
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  long batch() const { return batch_; }
  long length() const { return length_; }  // tokens seen so far: the position of the next one
  long max_length() const { return max_length_; }

  virtual void reset() { length_ = 0; }  // forgets everything; the memory stays

  // For the layers: `count` tokens were taken in. Throws, before anything changes, if they do not fit.
  void check_room(long batch, long count) const;
  void advance(long count);

 private:
  long batch_, length_ = 0, max_length_;
};

}  // namespace heed
