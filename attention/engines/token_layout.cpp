#include "attention/engines/token_layout.h"

#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {

kernels::TokenStrides strides_of(const Tensor& x) { return {x.strides()[0], x.strides()[1], x.strides()[2]}; }

Tensor token_major(const Shape& shape, const Tensor& like) {
  return transpose(Tensor::empty({shape[0], shape[2], shape[1], shape[3]}, like.dtype(), like.device()), 1, 2);
}

Tensor as_token_major(const Tensor& x) { return transpose(contiguous(transpose(x, 1, 2)), 1, 2); }

}  // namespace heed
