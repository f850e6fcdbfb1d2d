#include "comm/communicator.h"

namespace heed {
namespace {

void check(const char* op, const Tensor& x) {
  check_defined(op, x);
  HEED_CHECK(is_maths(x.dtype()) && x.is_contiguous(), op, "x is ", x.shape(), " ", x.dtype(),
             x.is_contiguous() ? "" : ", strided", "; it must be row-major f32 or f64. Use contiguous(cast(x, f32))");
}

}  // namespace

void Communicator::allreduce(const Tensor& x) {
  check("allreduce", x);
  allreduce_checked(x);
}

void Communicator::broadcast(const Tensor& x, int root) {
  check("broadcast", x);
  HEED_CHECK(root >= 0 && root < size(), "broadcast", "root is ", root, "; ranks are 0 to ", size() - 1);
  broadcast_checked(x, root);
}

Tensor Communicator::all_to_all(const Tensor& x) {
  check("all_to_all", x);
  HEED_CHECK(x.dims() > 0 && x.size(0) % size() == 0, "all_to_all", "x is ", x.shape(),
             "; its first size must be a multiple of the number of ranks, ", size());
  return all_to_all_checked(x);
}

}  // namespace heed
