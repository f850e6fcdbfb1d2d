#include "tensor/ops/decompose.h"

#include <algorithm>
#include <string>

#include "tensor/copy.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr long kLongest = 1 << 24, kShortest = 1 << 14;  // LAPACK counts its workspace in 32 bits

// The shape of a result: a's batch axes and then these.
Shape batched(const Tensor& a, std::initializer_list<long> sizes) {
  Shape shape;
  for (int i = 0; i < a.dims() - 2; i++) shape.push_back(a.size(i));
  for (long size : sizes) shape.push_back(size);
  return shape;
}

MatrixBatch checked(const char* op, const Tensor& a, bool iterates) {
  check_defined(op, a);
  HEED_CHECK(a.dims() >= 2, op, "a is ", a.shape(), "; it must be (..., M, N): the last two axes are the matrix");
  MatrixBatch s{batched(a, {}).numel(), a.size(-2), a.size(-1)};
  HEED_CHECK(std::max(s.rows, s.cols) <= kLongest, op, "a is ", a.shape(), "; a matrix has at most ", kLongest,
             " rows and columns");
  HEED_CHECK(!iterates || std::min(s.rows, s.cols) <= kShortest, op, "a is ", a.shape(),
             "; its shorter side may be at most ", kShortest);
  return s;
}

// "a is (2, 3, 3), and its matrix at (1,)", or "a is (3, 3), and it" if it is the only one.
std::string which(const Tensor& a, long number) {
  Shape batch = batched(a, {}), at = batch;
  for (int i = batch.dims() - 1; i >= 0; number /= batch[i], i--) at[i] = number % batch[i];
  return "a is " + a.shape().str() + (batch.dims() ? ", and its matrix at " + at.str() : ", and it");
}

// Throws for the first matrix that has no answer.
void check_info(const char* op, const Tensor& info, const Tensor& a) {
  const auto codes = info.to_vector<int32_t>();
  for (size_t i = 0; i < codes.size(); i++) {
    HEED_CHECK(codes[i] != kNotFinite, op, which(a, long(i)), " holds NaN or infinity; all elements must be finite");
    HEED_CHECK(codes[i] != kNotSymmetric, op, which(a, long(i)),
               " is not symmetric; a must equal transpose(a). Did you mean svd(a), or eigh((a + transpose(a)) * 0.5)?");
    HEED_CHECK(codes[i] == 0, op, which(a, long(i)),
               " has no answer: LAPACK's iteration did not converge (info = ", codes[i],
               "). Did you mean to scale it first, or to use f64?");
  }
}

// Calls kernel(info, workspace) unless there is nothing to compute, and checks what it said.
template <class Call>
void run(const char* op, const Tensor& a, const MatrixBatch& s, const Kernel<long(const MatrixBatch&)>& bytes,
         Call kernel) {
  if (s.count * s.rows * s.cols == 0) return;
  Tensor workspace = Tensor::empty({bytes(a.device())(s)}, u8, a.device());
  Tensor info = Tensor::empty({s.count}, i32, a.device());
  kernel(info.mutable_data<int32_t>(), workspace.mutable_data<uint8_t>());
  check_info(op, info, a);
}

}  // namespace

QrResult qr(const Tensor& a) {
  const MatrixBatch s = checked("qr", a, false);
  return visit_maths("qr", a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const long K = std::min(s.rows, s.cols);
    Tensor in = contiguous(a), q = Tensor::empty(batched(a, {s.rows, K}), a.dtype(), a.device());
    Tensor r = Tensor::empty(batched(a, {K, s.cols}), a.dtype(), a.device());
    run("qr", a, s, kernels::qr_workspace_bytes<E>, [&](int32_t* info, void* workspace) {
      kernels::qr<E>(a.device())(q.mutable_data<E>(), r.mutable_data<E>(), info, in.data<E>(), s, workspace);
    });
    return QrResult{q, r};
  });
}

SvdResult svd(const Tensor& a) {
  const MatrixBatch s = checked("svd", a, true);
  return visit_maths("svd", a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    const long K = std::min(s.rows, s.cols);
    Tensor in = contiguous(a), u = Tensor::empty(batched(a, {s.rows, K}), a.dtype(), a.device());
    Tensor singular = Tensor::empty(batched(a, {K}), a.dtype(), a.device());
    Tensor vt = Tensor::empty(batched(a, {K, s.cols}), a.dtype(), a.device());
    run("svd", a, s, kernels::svd_workspace_bytes<E>, [&](int32_t* info, void* workspace) {
      kernels::svd<E>(a.device())(u.mutable_data<E>(), singular.mutable_data<E>(), vt.mutable_data<E>(), info,
                                  in.data<E>(), s, workspace);
    });
    return SvdResult{u, singular, vt};
  });
}

EighResult eigh(const Tensor& a) {
  const MatrixBatch s = checked("eigh", a, true);
  HEED_CHECK(s.rows == s.cols, "eigh", "a is ", a.shape(),
             "; a symmetric matrix has as many rows as columns. Did you mean svd(a)?");
  return visit_maths("eigh", a.dtype(), [&](auto tag) {
    using E = decltype(tag);
    Tensor in = contiguous(a), values = Tensor::empty(batched(a, {s.rows}), a.dtype(), a.device());
    Tensor rows = Tensor::empty(a.shape(), a.dtype(), a.device());
    run("eigh", a, s, kernels::eigh_workspace_bytes<E>, [&](int32_t* info, void* workspace) {
      kernels::eigh<E>(a.device())(values.mutable_data<E>(), rows.mutable_data<E>(), info, in.data<E>(), s, workspace);
    });
    return EighResult{values, transpose(rows)};
  });
}

}  // namespace heed
