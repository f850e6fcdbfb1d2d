// Sampling: a language model writes on, byte by byte.
//
//   sample_text(model, "The ", {.length = 200}, [](char c) { std::putchar(c); });
//
// How a byte is drawn: logits / temperature become probabilities; top_k keeps the k likeliest; top_p then keeps the
// fewest likeliest that have at least this much probability together (Holtzman et al., 2019); one of those is drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/gpt.h"

namespace heed {

struct SampleOptions {
  long length = 500;       // bytes to write
  double temperature = 1;  // 0: always the likeliest
  long top_k = 0;          // 0: all
  double top_p = 1;
  uint32_t seed = 1;
};

// The probabilities from which a byte is drawn. They sum to 1.
std::vector<double> shaped_probabilities(const std::vector<float>& logits, const SampleOptions& options);

// Calls `write` with each byte as soon as it is there; stops early if it returns false. An empty prompt counts as a new
// line. The model sees its context: when that is full, it reads the last half of it again and goes on.
void sample_text(Gpt& model, const std::string& prompt, const SampleOptions& options,
                 const std::function<bool(char)>& write);
std::string sampled_text(Gpt& model, const std::string& prompt, const SampleOptions& options);

}  // namespace heed
