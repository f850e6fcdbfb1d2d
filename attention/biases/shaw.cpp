// Relative positions by vectors: every distance up to `clip` has a learned vector, and a query asks it as it asks a
// key. What a head looks for may so depend on the distance and on the query's content together, "a verb two tokens
// ago".
//
//   bias_ij = <q_i, a[clip(p_j - p_i)]> / sqrt(D),   clip(d) = min(max(d, -c), c)         a (2 c + 1, D), for all heads
//
// Cost: (2 c + 1) D parameters, and a product of every query with all of them: time O(n c D), memory O(n c) per head.
// (Self-Attention with Relative Position Representations: Shaw et al., 2018; its term for the keys, not the one for the
// values, which gains little.)
//
// It pays off where the order of neighbours decides, as in translation. It loses where distances beyond c matter, which
// all look alike, and with a large c it costs as much as attention itself. Not with rotary positions: the term would
// see how q was rotated.
#include <cmath>

#include "attention/biases/bias.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"

namespace heed {
namespace {

class Shaw : public Bias {
 public:
  Shaw(long clip, long D, const ParameterMaker& parameter)
      : table_(parameter("bias", {2 * clip + 1, D}, init::normal(0.02))) {}

  void add(SoftmaxInputs& in, const Mask&, Context&) const override {
    in.by_query = matmul(in.q, transpose(table_)) / std::sqrt(double(in.q.size(3)));  // (B, H, T, 2 c + 1)
  }
  bool allows_rotary() const override { return false; }

 private:
  Variable& table_;
};

const RegisteredBias shaw{
    {.name = "shaw",
     .source = "Shaw et al., 2018",
     .options =
         {{.name = "clip", .help = "shaw: the largest distance told apart", .standard = "16", .low = 0, .high = 4096}},
     .make = [](const VariantOptions& options, const MixerOptions& mixer, const ParameterMaker& parameter) {
       return std::make_unique<Shaw>(options.number("clip"), mixer.head_width, parameter);
     }}};

}  // namespace
}  // namespace heed
