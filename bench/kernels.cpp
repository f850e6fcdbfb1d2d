#include "bench/kernels.h"

#include <iterator>

#include "tensor/copy.h"
#include "tensor/random.h"

namespace heed::bench {
namespace {

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& part : {product_cases(), kernel_cases(), memory_cases(), decoding_cases()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const RegisteredBenchmark kernels{
    {"kernels", "Products, fused kernels, memory-bound ops and decoding, against PyTorch.", cases, run_cases}};

}  // namespace

std::function<Action()> forward_backward(const std::vector<Shape>& shapes, const Forward& forward) {
  return [=]() -> Action {
    std::vector<Tensor> values;
    for (const Shape& shape : shapes) values.push_back(randn(shape, uint32_t(1 + values.size())));
    const auto run = [=] {
      std::vector<Variable> leaves;
      for (const Tensor& value : values) leaves.push_back(Variable::leaf(value));
      return forward(leaves);
    };
    const Tensor dy = randn(run().shape(), 99);
    return [=] { run().backward(dy); };
  };
}

std::string request(const char* verb, const std::vector<long>& numbers) {
  std::string text = verb;
  for (const long number : numbers) text.append(" ").append(std::to_string(number));
  return text;
}

std::string times(const std::vector<long>& sizes) {
  std::string text;
  for (const long size : sizes) text.append(text.empty() ? "" : " x ").append(std::to_string(size));
  return text;
}

Tensor random_ids(long count, long below) { return cast(uniform({count}, {.seed = 5}, 0, double(below) - 0.001), i64); }

}  // namespace heed::bench
