#include "models/masked_lm.h"

#include "autograd/ops/elementwise.h"
#include "autograd/ops/rows.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"

namespace heed {

MaskedLm::MaskedLm(const MaskedLmOptions& o)
    : V_(o.V),
      encoder_(child<Encoder>("encoder", EncoderOptions{.V = o.V + 1, .stack = o.stack, .positions = o.positions})),
      transform_(child<Linear>("transform", o.stack.C, o.stack.C)),
      norm_(child<LayerNorm>("norm", o.stack.C)),
      bias_(parameter("bias", {o.V}, init::zeros(), false)) {}

Variable MaskedLm::forward(const Tensor& ids, const MaskedLmIn& in, Context& ctx) {
  HEED_CHECK(in.read.defined() && in.read.dims() == 2, "masked_lm", "the columns that are read are ", in.read.shape(),
             "; they must be (B, Q)");
  const Tokens tokens{.positions = in.positions};
  const Variable h = encoder_.forward(ids, in.mask, &tokens, ctx);
  const Variable z = rows_at(h, to(cast(in.read, i32), h.value().device()));
  const Variable table = slice(encoder_.tokens().weight, 0, 0, V_);
  return linear(norm_.forward(gelu(transform_.forward(z, ctx)), ctx), table, bias_, ctx);
}

}  // namespace heed
