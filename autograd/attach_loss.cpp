#include "autograd/attach_loss.h"

#include "autograd/graph.h"
#include "tensor/create.h"

namespace heed {

Variable attach_loss(const Variable& y, const Variable& aux, double weight) {
  HEED_CHECK(aux.numel() == 1, "attach_loss", "aux is ", aux.shape(), "; it must be a scalar. Take sum or mean");
  return record("attach_loss", y.value(), {y, aux},
                [weight, shape = aux.shape(), dtype = aux.dtype(), device = aux.value().device()](const Tensor& dy) {
                  return Grads{dy, full(shape, weight * loss_scale(), dtype, device)};
                });
}

}  // namespace heed
