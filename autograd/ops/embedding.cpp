#include "autograd/ops/embedding.h"

namespace heed {

Variable embedding(const Variable& table, const Tensor& ids) {
  return record("embedding", embedding(table.value(), ids), {table},
                [ids = Saved(ids), V = table.size(0)](const Tensor& dy) { return embedding_backward(dy, ids, V); });
}

}  // namespace heed
