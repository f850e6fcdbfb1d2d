#include "attention/key_value_state.h"

#include <algorithm>

#include "autograd/ops/concatenate.h"
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

KeyValueState::KeyValueState(long batch, long max_length, long reach, const Module& owner)
    : State(batch, max_length, owner), reach_(reach) {}

void KeyValueState::reset() {
  State::reset();
  used_ = 0;
}

State::Tensors KeyValueState::tensors() const {
  Tensors all;
  if (used_ > 0 && k_.defined()) all.emplace_back("k", k());
  if (used_ > 0) all.emplace_back("v", v());
  return all;
}

void KeyValueState::take(const Tensors& tensors) {
  const Tensor k = named(tensors, "k"), v = named(tensors, "v");
  if (!v.defined()) return;
  HEED_CHECK(v.dims() == 4 && v.size(0) == batch(), "state", "values ", v.shape(), " were given for a batch of ",
             batch(), "; they must be (B, Hk, S, Dv)");
  append(k, v);
}

// Into the memory that is there, as take does: when rows are forgotten depends on how many fit.
void KeyValueState::adopt(const Tensors& tensors) {
  const Tensor k = named(tensors, "k"), v = named(tensors, "v");
  if (!v.defined()) return;
  if (fits(v.size(2))) return append(k, v);
  k_ = k, v_ = v;
  used_ = v.size(2);
}

long KeyValueState::still_needed() const { return reach_ < 0 ? used_ : std::min(used_, reach_); }
long KeyValueState::keys_after(long T) const { return fits(T) ? used_ + T : still_needed() + T; }

// Twice the reach and a little: rows move to the front once in `reach` tokens, not with every one.
void KeyValueState::make_room(const Tensor& k, const Tensor& v) {
  const long T = v.size(2), needed = still_needed();
  const long room = reach_ < 0 ? max_length() : std::min(max_length(), 2 * (reach_ + 1) + 64);
  const long capacity = std::max(room, needed + T);
  if (k.defined()) k_ = moved_to_front(k_, used_ - needed, used_, capacity, k);
  v_ = moved_to_front(v_, used_ - needed, used_, capacity, v);
  used_ = needed;
}

void KeyValueState::append(const Tensor& k, const Tensor& v) {
  const long T = v.size(2);
  if (!fits(T)) make_room(k, v);
  if (k.defined()) copy_into(slice(k_, 2, used_, used_ + T), k);
  copy_into(slice(v_, 2, used_, used_ + T), v);
  used_ += T;
}

KeyValueState::KeysAndValues KeyValueState::appended(const Variable& k, const Variable& v) {
  append(k.value(), v.value());
  KeysAndValues all{this->k(), this->v()};
  if (!grad_enabled() || !v.requires_grad()) return all;
  const auto past = [&](const Tensor& x) { return Variable(clone(slice(x, 2, 0, used_ - v.size(2)))); };
  if (k.defined()) all.k = concatenate({past(all.k.value()), k}, 2);
  all.v = concatenate({past(all.v.value()), v}, 2);
  return all;
}

Tensor KeyValueState::k() const { return k_.defined() ? slice(k_, 2, 0, used_) : Tensor(); }
Tensor KeyValueState::v() const { return slice(v_, 2, 0, used_); }

void KeyValueState::keep_source(const Tensor& k, const Tensor& v) {
  used_ = 0;
  append(k, v);
  source_is_kept();
}

}  // namespace heed
