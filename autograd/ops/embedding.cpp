#include "autograd/ops/embedding.h"

#include "tensor/ops/indices.h"

namespace heed {

Variable embedding(const Variable& table, const Tensor& given) {
  const Tensor ids = moved_once(table.value(), given, [&](Device device) {
    return checked_indices("embedding", given, table.size(0), device, kIdNames);
  });
  return record("embedding", embedding(table.value(), ids), {table},
                [ids = Saved(ids), V = table.size(0)](const Tensor& dy) { return embedding_backward(dy, ids, V); });
}

}  // namespace heed
