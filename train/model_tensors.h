// Models and flat tensors as named tensors, for files: weights and optimiser states by parameter path.
//
//   write_safetensors("weights.safetensors", {.tensors = model_tensors(model)});
//   load_model(model, "weights.safetensors");
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/arena.h"
#include "nn/given_weights.h"
#include "train/safetensors.h"

namespace heed {

// Views of all parameters, frozen ones too, and of the buffers behind them: later steps change them.
std::vector<NamedTensor> model_tensors(Module& model);

// Copies the values into the parameters, also into those of an arena; floats of another type are cast. Throws, and
// changes nothing, if a tensor is missing, is left over or has another shape: says which, what was expected and what
// was found. `from` is where they come from, for the error.
void load_model(Module& model, const std::vector<NamedTensor>& weights, const std::string& from);
// The same from a file: a safetensors file of weights, or the checkpoint of a run, whose optimiser is left out.
void load_model(Module& model, const std::string& path);

// A model that is made with these weights from the start: make_loaded<Gpt>(weights, path, options). None is drawn, and
// where something does not fit it throws as load_model does, before memory is taken for the model. Nor does it take
// weights that are NaN or infinite: whatever such a model says means nothing.
template <class M, class... Args>
std::unique_ptr<M> make_loaded(const std::vector<NamedTensor>& weights, const std::string& from, const Args&... args);

// A flat tensor over an arena (an optimiser's m), as views by parameter: prefix + path.
std::vector<NamedTensor> split_flat(const ParameterArena& arena, const Tensor& flat, const std::string& prefix);
// And back: copies those of this prefix into the flat tensor. Throws as load_model does.
void join_flat(const ParameterArena& arena, const Tensor& flat, const std::vector<NamedTensor>& tensors,
               const std::string& prefix, const std::string& from);

// ---- how it is done

std::map<std::string, Tensor> by_name(const std::vector<NamedTensor>& tensors);
void check_fits(Module& model, const std::vector<NamedTensor>& weights, const std::string& from);  // or throws
void check_numbers(const std::vector<NamedTensor>& weights, const std::string& from);  // throws unless all are finite

template <class M, class... Args>
std::unique_ptr<M> make_loaded(const std::vector<NamedTensor>& weights, const std::string& from, const Args&... args) {
  const GivenWeights given(by_name(weights));
  auto model = std::make_unique<M>(args...);
  check_fits(*model, weights, from);
  check_numbers(weights, from);
  return model;
}

}  // namespace heed
