#include "train/stream_states.h"

#include "system/error.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr const char *kRows = "rows", *kLength = "length";

NamedTensor number_as_tensor(const std::string& name, long number) {
  return {name, from_vector(std::vector<int64_t>{number}, {1})};
}

// Of a tensor's name, without what it begins with: "12.k" is of number 12, and called k
struct Name {
  size_t number;
  std::string rest;
};

Name parsed(const std::string& text, const std::string& from) {
  const size_t dot = std::min(text.find('.'), text.size());
  const auto number = number_in<long>(text.substr(0, dot));
  HEED_CHECK(number && *number >= 0 && *number < 1000000 && dot < text.size(), "checkpoint", from,
             " is damaged: it has a state '", text, "'");
  return {size_t(*number), text.substr(dot + 1)};
}

long number_of(const NamedTensor& tensor, const std::string& from) {
  HEED_CHECK(tensor.value.dtype() == i64 && tensor.value.numel() == 1, "checkpoint", from, " is damaged: its state '",
             tensor.name, "' is ", tensor.value.shape(), " ", tensor.value.dtype(), ", and must be one i64");
  return tensor.value.to_vector<int64_t>()[0];
}

template <class E> E& grown(std::vector<E>& list, size_t number) {
  if (number >= list.size()) list.resize(number + 1);
  return list[number];
}

}  // namespace

StackState& StreamStates::of(size_t part, long rows, bool fresh) {
  StackState& own = grown(parts_, part);
  const bool fits = !own.states.empty() && own.states[0]->batch() == rows;
  if (!fits)
    own = objective_.start(rows);
  else if (fresh)
    own.reset();
  return own;
}

StreamStates::Saved StreamStates::saved() const {
  Saved all;
  for (const StackState& part : parts_)
    all.push_back({part.states.empty() ? 0 : part.states[0]->batch(), part.saved()});
  return all;
}

void StreamStates::restore(const Saved& saved) {
  parts_.resize(saved.size());
  for (size_t i = 0; i < saved.size(); i++) of(i, saved[i].rows, false).restore(saved[i].states);
}

std::vector<NamedTensor> to_tensors(const StreamStates::Saved& saved) {
  std::vector<NamedTensor> all;
  for (size_t part = 0; part < saved.size(); part++) {
    const std::string own = std::to_string(part) + ".";
    all.push_back(number_as_tensor(own + kRows, saved[part].rows));
    for (size_t i = 0; i < saved[part].states.size(); i++) {
      const std::string state = own + std::to_string(i) + ".";
      all.push_back(number_as_tensor(state + kLength, saved[part].states[i].length));
      for (const auto& [name, tensor] : saved[part].states[i].tensors) all.push_back({state + name, tensor});
    }
  }
  return all;
}

StreamStates::Saved streams_from(const std::vector<NamedTensor>& tensors, const std::string& from, Device device) {
  StreamStates::Saved saved;
  for (const NamedTensor& tensor : tensors) {
    const Name of_part = parsed(tensor.name, from);
    StreamStates::Part& part = grown(saved, of_part.number);
    if (of_part.rest == kRows) {
      part.rows = number_of(tensor, from);
      continue;
    }
    const Name of_state = parsed(of_part.rest, from);
    State::Saved& state = grown(part.states, of_state.number);
    if (of_state.rest == kLength)
      state.length = number_of(tensor, from);
    else
      state.tensors.emplace_back(of_state.rest, to(tensor.value, device));
  }
  return saved;
}

}  // namespace heed
