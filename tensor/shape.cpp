#include "tensor/shape.h"

#include <algorithm>

#include "system/error.h"

namespace heed {

void Shape::fail_full() const {
  fail("shape", "a tensor has at most ", kMaxDims, " dimensions; ", *this,
       " has no room for one more. Merge some with reshape");
}

void Shape::insert(int at, long size) {
  if (dims_ == kMaxDims) fail_full();
  std::copy_backward(begin() + at, end(), sizes_.begin() + dims_ + 1);
  sizes_[at] = size;
  dims_++;
}

void Shape::erase(int at) {
  std::copy(begin() + at + 1, end(), sizes_.begin() + at);
  dims_--;
}

long Shape::numel() const {
  long product = 1;  // of the sizes that are not 0: strides and partial products must fit in an empty tensor, too
  bool overflow = false, none = false;
  for (long size : *this) {
    HEED_CHECK(size >= 0, "shape", *this, " has the negative size ", size, "; sizes are 0 or more");
    overflow |= __builtin_mul_overflow(product, std::max(size, 1L), &product);
    none |= size == 0;
  }
  HEED_CHECK(!overflow, "shape", *this, " is too large; its sizes (a 0 counts as 1) multiply to more than 2^63 - 1");
  return none ? 0 : product;
}

long Shape::rows() const {
  long count = 1;
  for (int i = 0; i + 1 < dims_; i++) count *= sizes_[i];
  return count;
}

std::string Shape::str() const {
  std::string text = "(";
  for (int i = 0; i < dims_; i++) text += (i ? ", " : "") + std::to_string(sizes_[i]);
  return text + (dims_ == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.str(); }

Strides row_major(const Shape& shape) {
  Strides strides = Strides::filled(shape.dims(), 1);
  for (int i = shape.dims() - 2; i >= 0; i--) strides[i] = strides[i + 1] * std::max(shape[i + 1], 1L);
  return strides;
}

int axis_of(const char* op, long axis, const Shape& shape) {
  int dims = shape.dims();
  HEED_CHECK(axis >= -dims && axis < dims, op, "axis ", axis, " is outside of x, which is ", shape, "; it has ", dims,
             " dimensions",
             dims ? ", so axes run from " + std::to_string(-dims) + " to " + std::to_string(dims - 1) : "");
  return int(axis < 0 ? axis + dims : axis);
}

Shape position_of(long element, const Shape& shape) {
  Shape position = Shape::filled(shape.dims(), 0);
  for (int i = shape.dims() - 1; i >= 0; element /= shape[i], i--) position[i] = element % shape[i];
  return position;
}

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  if (a == b) return a;
  Shape out = Shape::filled(std::max(a.dims(), b.dims()), 1);
  for (int back = 1; back <= out.dims(); back++) {  // sizes are aligned at the right
    long size_a = back <= a.dims() ? a[a.dims() - back] : 1;
    long size_b = back <= b.dims() ? b[b.dims() - back] : 1;
    HEED_CHECK(size_a == size_b || size_a == 1 || size_b == 1, op, "a is ", a, " and b is ", b,
               "; they do not broadcast: sizes aligned at the right must be equal or 1 (", size_a, " != ", size_b,
               "). Use unsqueeze or reshape to line them up");
    out[out.dims() - back] = size_a == 1 ? size_b : size_a;
  }
  return out;
}

}  // namespace heed
