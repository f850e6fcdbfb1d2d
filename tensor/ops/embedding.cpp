#include "tensor/ops/embedding.h"

#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/indices.h"

namespace heed {

Tensor embedding(const Tensor& table, const Tensor& ids) {
  check_defined("embedding", table);
  HEED_CHECK(table.dims() == 2, "embedding", "the table is ", table.shape(), "; it must be (V, C)");
  return visit_maths("embedding", table.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor index = checked_indices("embedding", ids, table.size(0), table.device(), kIdNames), rows = contiguous(table);
    Shape shape = ids.shape();
    shape.push_back(table.size(1));
    Tensor y = Tensor::empty(shape, table.dtype(), table.device());
    kernels::embedding<E>(table.device())(y.mutable_data<E>(), rows.data<E>(), index.data<int64_t>(), index.numel(),
                                          table.size(1));
    return y;
  });
}

Tensor embedding_backward(const Tensor& dy, const Tensor& ids, long V) {
  check_defined("embedding", dy);
  check_defined("embedding", ids);
  Shape rows = dy.shape();
  if (rows.dims() > 0) rows.erase(rows.dims() - 1);
  HEED_CHECK(dy.dims() > 0 && rows == ids.shape(), "embedding", "dy is ", dy.shape(), " and the ids are ", ids.shape(),
             "; with ids (...) dy must be (..., C)");
  return visit_maths("embedding", dy.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor index = checked_indices("embedding", ids, V, dy.device(), kIdNames), given = contiguous(dy);
    Tensor dtable = Tensor::empty({V, dy.size(-1)}, dy.dtype(), dy.device());
    Tensor workspace =
        Tensor::empty({kernels::embedding_workspace_bytes(dy.device())(index.numel(), V)}, u8, dy.device());
    if (dtable.numel() > 0)
      kernels::embedding_backward<E>(dy.device())(dtable.mutable_data<E>(), given.data<E>(), index.data<int64_t>(),
                                                  index.numel(), V, dy.size(-1), workspace.mutable_data<uint8_t>());
    return dtable;
  });
}

}  // namespace heed
