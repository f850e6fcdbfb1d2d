// GivenWeights: a model that is read from a file begins with the numbers of the file. While one of these lives, the
// next model that is made in this thread takes its parameters and buffers from here, by their paths, and draws none.
//
//   const GivenWeights given({{"weight", weight}, {"bias", bias}});
//   Linear layer(64, 2);  // has these very tensors
//
// What is not given, or has another shape, is a zero that stands for all of its elements: it takes no memory, however
// large the model would be. Whoever made the model compares before it is used (train/model_tensors.h does).
#pragma once

#include <map>
#include <string>

#include "tensor/tensor.h"

namespace heed {

class Module;

class GivenWeights {
 public:
  explicit GivenWeights(std::map<std::string, Tensor> weights);
  ~GivenWeights();
  GivenWeights(const GivenWeights&) = delete;
  GivenWeights& operator=(const GivenWeights&) = delete;

  // For Module. A model may make others on its way, to ask what they can do: those draw as ever.
  static void begin(const Module* root);
  static const GivenWeights* of(const Module* root);  // null: it is not the model that takes them
  Tensor at(const std::string& path, const Shape& shape) const;

 private:
  std::map<std::string, Tensor> weights_;
  const Module* root_ = nullptr;
  GivenWeights* outer_;
};

}  // namespace heed
