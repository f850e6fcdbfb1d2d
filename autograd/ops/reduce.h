// Reductions on Variables; see tensor/ops/reduce.h.
#pragma once

#include "autograd/variable.h"
#include "tensor/ops/reduce.h"

namespace heed {

Variable sum(const Variable& x, const Shape& axes = {}, bool keep = false);
Variable mean(const Variable& x, const Shape& axes = {}, bool keep = false);
Variable variance(const Variable& x, const Shape& axes = {}, int correction = 0, bool keep = false);
Variable variance(const Variable& x, const Shape& axes, bool keep) = delete;  // say the correction
Variable logsumexp(const Variable& x, const Shape& axes = {}, bool keep = false);
Variable max(const Variable& x, const Shape& axes = {}, bool keep = false);
Variable min(const Variable& x, const Shape& axes = {}, bool keep = false);

Variable sum(const Variable& x, Axis auto axis, bool keep = false) { return sum(x, Shape{long(axis)}, keep); }
Variable mean(const Variable& x, Axis auto axis, bool keep = false) { return mean(x, Shape{long(axis)}, keep); }
Variable logsumexp(const Variable& x, Axis auto axis, bool keep = false) {
  return logsumexp(x, Shape{long(axis)}, keep);
}
Variable max(const Variable& x, Axis auto axis, bool keep = false) { return max(x, Shape{long(axis)}, keep); }
Variable min(const Variable& x, Axis auto axis, bool keep = false) { return min(x, Shape{long(axis)}, keep); }

}  // namespace heed
