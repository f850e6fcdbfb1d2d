// Position biases: what is added to the score of a pair for where its query and its key stand,
//
//   s_ij = <q_i, k_j> / sqrt(D) + bias_ij
//
// Every variant that is a pattern of positions takes one as an option, "window:left=64,bias=alibi". A bias is a file:
// it registers itself, and deleting the file deletes it. It says what it adds in one of the two forms that the softmax
// engine reads without ever making a (T, S) matrix (softmax_engine.h): by distance, or by query and clipped distance.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attention/core.h"
#include "attention/engines/softmax_engine.h"
#include "nn/mixing/registry.h"

namespace heed {

class Bias {
 public:
  virtual ~Bias() = default;

  // in: q, k, v and positions of the heads; sets in.by_distance or in.by_query. There is at least one query or key.
  virtual void add(SoftmaxInputs& in, const Mask& mask, Context& ctx) const = 0;

  virtual bool allows_rotary() const { return true; }  // false: it would see how q was rotated
};

// ---- for biases by distance

// The distances p_i - p_j that in.by_distance has entries for: first .. last, by the positions or by T and S.
struct Distances {
  long first, last;
  long count() const { return last - first + 1; }
};
Distances distances_of(const SoftmaxInputs& in);

// Entries for these distances in the last axis, cut from a table of all distances below a power of two, which ctx
// keeps: while text is generated S grows with every token, but the table is made again only when that doubles.
// make(d): the table for all distances of d, on the host or there; `name` says what it depends on besides.
Tensor distance_table(Context& ctx, const std::string& name, const Distances& wanted, Device device,
                      const std::function<Tensor(const Distances& d)>& make);

// Makes a parameter of the core that the bias belongs to, without weight decay: name "bias" is core.bias in a model.
using ParameterMaker = std::function<Variable&(const std::string& name, const Shape& shape, const Init& init)>;

struct BiasKind {
  std::string name;                         // as in bias=name
  std::string source;                       // the paper
  std::vector<VariantOption> options = {};  // its own: no other bias and no variant may have an option of this name
  std::function<std::unique_ptr<Bias>(const VariantOptions& options, const MixerOptions& mixer,
                                      const ParameterMaker& parameter)>
      make;
};

inline constinit Registry<BiasKind> all_biases{"attention", "bias"};
using RegisteredBias = Registration<all_biases>;

// ---- for variants

std::vector<VariantOption> bias_options();  // `bias`, with all that are registered as choices, and their own options

// What the options ask for, to be made when its core is; null for bias=none.
using BiasMaker = std::function<std::unique_ptr<Bias>(const MixerOptions& mixer, const ParameterMaker& parameter)>;
BiasMaker bias_of(const VariantOptions& options);

}  // namespace heed
