// Names and tensors: what does not fit is told before anything is copied.
#include "train/model_tensors.h"

#include <cmath>

#include "autograd/finite.h"
#include "tensor/copy.h"
#include "tensor/ops/norm.h"
#include "train/checkpoint_state.h"

namespace heed {
namespace {

bool is_float(DType dtype) { return is_maths(dtype) || is_storage(dtype); }

// What does not fit, a sentence each.
std::vector<std::string> misfits(const std::vector<NamedTensor>& targets, const std::map<std::string, Tensor>& given) {
  std::vector<std::string> out;
  std::map<std::string, Tensor> left = given;
  for (const auto& [name, to] : targets) {
    const auto found = given.find(name);
    if (found == given.end()) {
      out.push_back("'" + name + "' is missing, expected " + to.shape().str());
      continue;
    }
    left.erase(name);
    const Tensor& from = found->second;
    if (!(from.shape() == to.shape()))
      out.push_back("'" + name + "' is " + from.shape().str() + ", expected " + to.shape().str());
    else if (!is_float(from.dtype()))
      out.push_back("'" + name + "' is " + heed::name(from.dtype()) + ", expected " + heed::name(to.dtype()));
  }
  for (const auto& [name, value] : left)
    out.push_back("'" + name + "' " + value.shape().str() + " is left over: nothing has this name");
  return out;
}

void check_all(const char* op, const std::vector<NamedTensor>& targets, const std::map<std::string, Tensor>& given,
               const std::string& from) {
  constexpr size_t kShown = 3;
  const std::vector<std::string> wrong = misfits(targets, given);
  std::string text;
  for (size_t i = 0; i < wrong.size() && i < kShown; i++) text += (i ? "; " : "") + wrong[i];
  if (wrong.size() > kShown) text += "; and " + std::to_string(wrong.size() - kShown) + " more";
  HEED_CHECK(wrong.empty(), op, from, " does not fit: ", text, ". Was it made with other settings?");
}

// All or nothing.
void copy_by_name(const char* op, const std::vector<NamedTensor>& targets, const std::map<std::string, Tensor>& given,
                  const std::string& from) {
  check_all(op, targets, given, from);
  for (const auto& [name, target] : targets) copy_into(target, to(given.at(name), target.device()));
}

}  // namespace

std::vector<NamedTensor> model_tensors(Module& model) {
  std::vector<NamedTensor> out;
  for (const Parameter* p : model.parameters()) out.push_back({p->path, p->value.value()});
  for (const Buffer* b : model.buffers()) out.push_back({b->path, b->value.value()});
  return out;
}

void load_model(Module& model, const std::vector<NamedTensor>& weights, const std::string& from) {
  copy_by_name("load_model", model_tensors(model), by_name(weights), from);
}

void check_fits(Module& model, const std::vector<NamedTensor>& weights, const std::string& from) {
  check_all("load_model", model_tensors(model), by_name(weights), from);
}

void check_numbers(const std::vector<NamedTensor>& weights, const std::string& from) {
  for (const auto& [name, value] : weights)
    if (is_float(value.dtype()) && !std::isfinite(norm(cast(value, f32))))  // a pass that takes no memory
      fail<NotFinite>("load_model", from, " has a weight that is not a finite number, in '", name,
                      "': whatever this model says means nothing. Take an older checkpoint");
}

std::map<std::string, Tensor> by_name(const std::vector<NamedTensor>& tensors) {
  std::map<std::string, Tensor> out;
  for (const auto& [name, value] : tensors) out[name] = value;
  return out;
}

void load_model(Module& model, const std::string& path) {
  const auto metadata = read_safetensors_header(path).metadata;
  const auto format = metadata.find("format");
  const bool checkpoint = format != metadata.end() && format->second == kCheckpointFormat;
  load_model(model, checkpoint ? read_checkpoint(path, CheckpointPart::model).weights : read_safetensors(path).tensors,
             path);
}

std::vector<NamedTensor> split_flat(const ParameterArena& arena, const Tensor& flat, const std::string& prefix) {
  HEED_CHECK(flat.shape() == Shape{arena.size()} && flat.is_contiguous(), "split_flat", "the flat tensor is ",
             flat.shape(), "; it must be contiguous and as large as the arena, which has ", arena.size(), " numbers");
  std::vector<NamedTensor> out;
  for (const auto& entry : arena.entries()) out.push_back({prefix + entry.path, ParameterArena::part(flat, entry)});
  return out;
}

void join_flat(const ParameterArena& arena, const Tensor& flat, const std::vector<NamedTensor>& tensors,
               const std::string& prefix, const std::string& from) {
  std::map<std::string, Tensor> given;
  for (const auto& [name, value] : tensors)
    if (name.starts_with(prefix)) given[name] = value;
  copy_by_name("join_flat", split_flat(arena, flat, prefix), given, from);
}

}  // namespace heed
