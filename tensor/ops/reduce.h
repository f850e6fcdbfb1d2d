// Reductions: sum, mean, variance, max, min, logsumexp over any axes ({} means all of them). keep = true leaves the
// reduced axes with size 1, so that the result broadcasts against x.
#pragma once

#include <concepts>

#include "tensor/kernel.h"
#include "tensor/tensor.h"

namespace heed {

Tensor sum(const Tensor& x, const Shape& axes = {}, bool keep = false);   // of nothing: 0
Tensor mean(const Tensor& x, const Shape& axes = {}, bool keep = false);  // of nothing: NaN
// y = sum(x): dx = dy, repeated (an expanded view: nothing is copied). mean: dx = dy / count, repeated.
Tensor sum_backward(const Tensor& dy, const Shape& x_shape, const Shape& axes);
Tensor mean_backward(const Tensor& dy, const Shape& x_shape, const Shape& axes);

// sum (x - mean)^2 / (count - correction), in two passes: nothing cancels. Correction 1 estimates the variance of what
// x is a sample of; with `correction` elements or fewer it is NaN (or inf).
Tensor variance(const Tensor& x, const Shape& axes = {}, int correction = 0, bool keep = false);
Tensor variance(const Tensor& x, const Shape& axes, bool keep) = delete;  // write variance(x, axes, 0, keep)
// dx = dy * 2 (x - mean) / (count - correction)
Tensor variance_backward(const Tensor& dy, const Tensor& x, const Shape& axes, int correction = 0);

// log sum exp(x), without overflow. Of nothing, or of nothing but -inf: -inf.
Tensor logsumexp(const Tensor& x, const Shape& axes = {}, bool keep = false);
// y = logsumexp(x): dx = dy * exp(x - y); 0 where y is -inf
Tensor logsumexp_backward(const Tensor& dy, const Tensor& x, const Tensor& y, const Shape& axes);

// Of nothing: throws. NaN wins. Of equal elements the first counts; the indices say where it stands among the
// reduced elements, taken in row-major order.
struct MaxResult {
  Tensor values, indices;  // indices are i64
};
using MinResult = MaxResult;
MaxResult max_with_indices(const Tensor& x, const Shape& axes = {}, bool keep = false);
Tensor max(const Tensor& x, const Shape& axes = {}, bool keep = false);
Tensor argmax(const Tensor& x, const Shape& axes = {}, bool keep = false);
// y = max(x): dx = dy where the maximum stands, 0 elsewhere.
Tensor max_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape, const Shape& axes);

MinResult min_with_indices(const Tensor& x, const Shape& axes = {}, bool keep = false);
Tensor min(const Tensor& x, const Shape& axes = {}, bool keep = false);
Tensor argmin(const Tensor& x, const Shape& axes = {}, bool keep = false);
Tensor min_backward(const Tensor& dy, const Tensor& indices, const Shape& x_shape, const Shape& axes);

// Over one axis: argmax(x, -1) is argmax(x, {-1}).
template <class I>
concept Axis = std::integral<I> && !std::same_as<I, bool>;
Tensor sum(const Tensor& x, Axis auto axis, bool keep = false) { return sum(x, Shape{long(axis)}, keep); }
Tensor mean(const Tensor& x, Axis auto axis, bool keep = false) { return mean(x, Shape{long(axis)}, keep); }
Tensor logsumexp(const Tensor& x, Axis auto axis, bool keep = false) { return logsumexp(x, Shape{long(axis)}, keep); }
Tensor max(const Tensor& x, Axis auto axis, bool keep = false) { return max(x, Shape{long(axis)}, keep); }
Tensor min(const Tensor& x, Axis auto axis, bool keep = false) { return min(x, Shape{long(axis)}, keep); }
Tensor argmax(const Tensor& x, Axis auto axis, bool keep = false) { return argmax(x, Shape{long(axis)}, keep); }
Tensor argmin(const Tensor& x, Axis auto axis, bool keep = false) { return argmin(x, Shape{long(axis)}, keep); }

// Undoes broadcasting: sums x over the axes along which `shape` was stretched to x's shape.
Tensor sum_to(const Tensor& x, const Shape& shape);

// For the backends: x is (outer, count, inner), y is (outer, inner). sum_rows needs a workspace of this many bytes.
namespace kernels {
template <class E> inline Kernel<long(long outer, long count, long inner)> sum_workspace_bytes{"sum"};
template <class E>
inline Kernel<void(E* y, const E* x, long outer, long count, long inner, void* workspace)> sum_rows{"sum"};
template <class E>
inline Kernel<void(E* y, int64_t* indices, const E* x, long outer, long count, long inner)> max_rows{"max"};
template <class E>
inline Kernel<void(E* y, int64_t* indices, const E* x, long outer, long count, long inner)> min_rows{"min"};
// Of both: dx (outer, count, inner) is zero before the call
template <class E>
inline Kernel<void(E* dx, const E* dy, const int64_t* indices, long outer, long count, long inner)> max_rows_backward{
    "max"};
}  // namespace kernels

}  // namespace heed
