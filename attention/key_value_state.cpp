#include "attention/key_value_state.h"

#include <algorithm>

#include "system/error.h"
#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {
namespace {

// (B, Hk, capacity, width) with the rows begin .. end of `old` in front; `old` itself if it has this size. Capacity may
// also shrink, after a long prompt.
Tensor moved_to_front(const Tensor& old, long begin, long end, long capacity, const Tensor& like) {
  const bool some = end > begin;
  const Tensor rows = some ? clone(slice(old, 2, begin, end)) : Tensor();
  Tensor to = old;
  if (!old.defined() || old.size(2) != capacity)
    to = Tensor::empty({like.size(0), like.size(1), capacity, like.size(3)}, like.dtype(), like.device());
  if (some) copy_into(slice(to, 2, 0, end - begin), rows);
  return to;
}

}  // namespace

KeyValueState::KeyValueState(long batch, long max_length, long reach, const Mixer& owner)
    : State(batch, max_length), owner_(&owner), reach_(reach) {}

KeyValueState& KeyValueState::of(State& state, const Mixer& user) {
  auto* kept = dynamic_cast<KeyValueState*>(&state);
  HEED_CHECK(kept && kept->owner_ == &user, "state", "it was started by another mixer; each has its own");
  return *kept;
}

void KeyValueState::reset() {
  State::reset();
  used_ = 0;
  of_source_ = false;
}

long KeyValueState::still_needed() const { return reach_ < 0 ? used_ : std::min(used_, reach_); }
long KeyValueState::keys_after(long T) const { return fits(T) ? used_ + T : still_needed() + T; }

// Twice the reach and a little: rows move to the front once in `reach` tokens, not with every one.
void KeyValueState::make_room(const Tensor& k, const Tensor& v) {
  const long T = k.size(2), needed = still_needed();
  const long room = reach_ < 0 ? max_length() : std::min(max_length(), 2 * (reach_ + 1) + 64);
  const long capacity = std::max(room, needed + T);
  k_ = moved_to_front(k_, used_ - needed, used_, capacity, k);
  v_ = moved_to_front(v_, used_ - needed, used_, capacity, v);
  used_ = needed;
}

void KeyValueState::append(const Tensor& k, const Tensor& v) {
  const long T = k.size(2);
  if (!fits(T)) make_room(k, v);
  copy_into(slice(k_, 2, used_, used_ + T), k);
  copy_into(slice(v_, 2, used_, used_ + T), v);
  used_ += T;
}

Tensor KeyValueState::k() const { return slice(k_, 2, 0, used_); }
Tensor KeyValueState::v() const { return slice(v_, 2, 0, used_); }

void KeyValueState::keep_source(const Tensor& k, const Tensor& v) {
  used_ = 0;
  append(k, v);
  of_source_ = true;
}

}  // namespace heed
