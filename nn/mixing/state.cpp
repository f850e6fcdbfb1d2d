#include "nn/mixing/state.h"

#include "system/error.h"

namespace heed {

State::State(long batch, long max_length) : batch_(batch), max_length_(max_length) {
  HEED_CHECK(batch >= 1 && max_length >= 1, "state", "batch ", batch, " and max_length ", max_length,
             " were given; both must be 1 or more");
}

void State::check_room(long batch, long count) const {
  HEED_CHECK(batch == batch_, "state", "it was started for a batch of ", batch_, " and got one of ", batch);
  HEED_CHECK(count >= 0 && count <= max_length_ - length_, "state", count, " tokens were given after ", length_,
             "; it holds at most ", max_length_, ". Start a longer one: start(batch, max_length)");
}

void State::advance(long count) {
  check_room(batch_, count);
  length_ += count;
}

}  // namespace heed
