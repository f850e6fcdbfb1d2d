// Full attention: every query looks at every key. The reference that all others are compared with.
//
//   o_i = sum_j softmax_j(<q_i, k_j> / sqrt(D) + bias_ij) v_j          causal: over j <= p_i only
//
// Time O(n^2 D), memory O(n D): the engine never holds a (T, S) matrix. The best choice as long as n is some thousands;
// beyond that its n^2 outweighs everything else in a model. Decoding keeps all keys and values, O(n D) per token.
// (Attention Is All You Need: Vaswani et al., 2017.)
#include "attention/multi_head.h"
#include "attention/pattern_core.h"

namespace heed {
namespace {

const RegisteredVariant full{{.name = "full",
                              .summary = "every query sees every key",
                              .formula = "o_i = sum_j softmax_j(<q_i, k_j> / sqrt(D)) v_j",
                              .time = {Growth::square},
                              .memory = {Growth::linear},
                              .source = "Vaswani et al., 2017",
                              .year = 2017,
                              .when = "up to some thousand tokens, and wherever quality alone counts",
                              .when_not = "beyond that, when n^2 outweighs the rest of the model",
                              .options = bias_options,
                              .make = [](const VariantOptions& options, const MixerOptions& mixer) {
                                return multi_head<PatternCore>(mixer, PatternOptions{.bias = bias_of(options)});
                              }}};

}  // namespace
}  // namespace heed
