#include "nn/mixing/state.h"

#include "tensor/copy.h"

namespace heed {

State::State(long batch, long max_length, const Module& owner)
    : owner_(&owner), batch_(batch), max_length_(max_length) {
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

long State::bytes() const {
  long total = 0;
  for (const auto& [name, tensor] : tensors()) total += tensor.numel() * long(size_of(tensor.dtype()));
  return total;
}

void State::restore(long length, const Tensors& tensors) {
  HEED_CHECK(length >= 0 && length <= max_length_, "state", "a state of ", length,
             " tokens was given; this one holds at most ", max_length_);
  reset();
  take(tensors);
  length_ = length;
}

State::Saved State::saved() const {
  Saved now{length_, {}, has_source_};
  if (!has_source_)
    for (const auto& [name, tensor] : tensors()) now.tensors.emplace_back(name, clone(tensor));
  return now;
}

void State::restore(const Saved& saved) {
  if (saved.has_source)
    length_ = saved.length;
  else
    restore(saved.length, saved.tensors);
}

void State::come_back(Saved&& saved) {
  if (!saved.has_source) {
    reset();
    adopt(saved.tensors);
  }
  length_ = saved.length;
}

Tensor State::named(const Tensors& tensors, const std::string& name) {
  for (const auto& [known, tensor] : tensors)
    if (known == name) return tensor;
  return Tensor();
}

}  // namespace heed
