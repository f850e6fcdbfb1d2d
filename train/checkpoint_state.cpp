#include "train/checkpoint_state.h"

#include <optional>

#include "system/error.h"
#include "system/text.h"
#include "tensor/create.h"

namespace heed {
namespace {

constexpr const char* kOp = "checkpoint";
constexpr const char* kOldValidBpc = "validation_bpc";  // as older files call it
const std::string kOptimiser = "optimiser.", kStream = "stream.", kNumber = "number.", kString = "string.";

// What stands behind the prefix; nothing if the name does not begin with it.
std::optional<std::string> behind(const std::string& prefix, const std::string& name) {
  if (!name.starts_with(prefix)) return {};
  return name.substr(prefix.size());
}

// All but the tensors.
TrainingState state_from(const std::map<std::string, std::string>& metadata, const std::string& path) {
  const auto text = [&](const char* name) {
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
  };
  HEED_CHECK(text("format") == kCheckpointFormat, kOp, path, " is a safetensors file, but not a checkpoint of heed");
  TrainingState state;
  state.step = number_in<long>(text("step")).value_or(-1);
  HEED_CHECK(state.step >= 0, kOp, path, " is damaged: its step is '", text("step"), "'");
  state.settings = text("settings");
  state.data = text("data");
  for (const auto& [name, value] : metadata)
    if (const auto number = behind(kNumber, name)) {
      const auto parsed = number_in<double>(value);
      HEED_CHECK(parsed, kOp, path, " is damaged: its ", *number, " is '", value, "'");
      state.numbers[*number == kOldValidBpc ? kValidBpc : *number] = *parsed;
    }
  return state;
}

}  // namespace

Safetensors to_safetensors(const TrainingState& state) {
  Safetensors file;
  file.metadata = {{"format", kCheckpointFormat}, {"step", shortest_text(state.step)}, {"settings", state.settings}};
  if (!state.data.empty()) file.metadata["data"] = state.data;
  for (const auto& [name, value] : state.numbers) file.metadata[kNumber + name] = shortest_text(value);
  file.tensors = state.weights;
  for (const NamedTensor& tensor : state.weights)
    for (const auto& [prefix, owner] : {std::pair{kOptimiser, "the optimiser's"},
                                        {kString, "strings of the task"},
                                        {kStream, "what is remembered of streams"}})
      HEED_CHECK(!tensor.name.starts_with(prefix), kOp, "the weights have a tensor '", tensor.name,
                 "'; names that begin with ", prefix, " are ", owner);
  for (const auto& [name, bytes] : state.strings)  // a tensor of bytes: metadata is text
    file.tensors.push_back(
        {kString + name, from_vector(std::vector<uint8_t>(bytes.begin(), bytes.end()), {long(bytes.size())})});
  for (const NamedTensor& tensor : state.optimiser) file.tensors.push_back({kOptimiser + tensor.name, tensor.value});
  for (const NamedTensor& tensor : state.streams) file.tensors.push_back({kStream + tensor.name, tensor.value});
  return file;
}

TrainingState to_training_state(Safetensors file, const std::string& path) {
  TrainingState state = state_from(file.metadata, path);
  for (NamedTensor& tensor : file.tensors)
    if (const auto name = behind(kOptimiser, tensor.name))
      state.optimiser.push_back({*name, std::move(tensor.value)});
    else if (const auto stream = behind(kStream, tensor.name))
      state.streams.push_back({*stream, std::move(tensor.value)});
    else if (const auto string = behind(kString, tensor.name)) {
      const std::vector<uint8_t> bytes = tensor.value.to_vector<uint8_t>();
      state.strings[*string] = std::string(bytes.begin(), bytes.end());
    } else
      state.weights.push_back(std::move(tensor));
  return state;
}

TrainingState read_checkpoint(const std::string& path, CheckpointPart part) {
  const auto wanted = [&](const std::string& name) {
    if (part == CheckpointPart::strings) return name.starts_with(kString);
    return part == CheckpointPart::all || !(name.starts_with(kOptimiser) || name.starts_with(kStream));
  };
  return to_training_state(read_safetensors(path, wanted), path);
}

TrainingState read_checkpoint_summary(const std::string& path) {
  return state_from(read_safetensors_header(path).metadata, path);
}

}  // namespace heed
