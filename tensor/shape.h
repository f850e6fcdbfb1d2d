// Shape: a short list of sizes (or strides) that lives on the stack. A scalar has no dimensions and one element;
// zero-size dimensions are legal everywhere. The few lines that every op runs are inline: an op on a row of 256
// elements takes as long as a hundred calls of functions.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <string>

namespace heed {

inline constexpr int kMaxDims = 8;

class Shape {
 public:
  Shape() {}  // the sizes stay unset, also in Shape()
  Shape(std::initializer_list<long> sizes) {
    for (long size : sizes) push_back(size);
  }
  static Shape filled(int dims, long value) {  // filled(3, 1) is (1, 1, 1)
    Shape shape;
    for (int i = 0; i < dims; i++) shape.push_back(value);
    return shape;
  }

  int dims() const { return dims_; }
  long operator[](int i) const { return sizes_[i]; }
  long& operator[](int i) { return sizes_[i]; }
  const long* begin() const { return sizes_.data(); }
  const long* end() const { return sizes_.data() + dims_; }
  long back() const { return sizes_[dims_ - 1]; }

  void push_back(long size) {
    if (dims_ == kMaxDims) [[unlikely]]
      fail_full();
    sizes_[dims_++] = size;
  }
  void insert(int at, long size);
  void erase(int at);

  long numel() const;       // product of the sizes; throws when it overflows or a size is negative
  long rows() const;        // of (..., C): the product of all sizes but the last; 1 for a vector or a scalar
  std::string str() const;  // "(2, 3)"
  bool operator==(const Shape& other) const {
    bool same = dims_ == other.dims_;
    for (int i = 0; same && i < dims_; i++) same = sizes_[i] == other.sizes_[i];
    return same;
  }

 private:
  [[noreturn]] void fail_full() const;

  std::array<long, kMaxDims> sizes_;  // only the first dims_ mean anything
  int dims_ = 0;
};

using Strides = Shape;  // in elements; 0 where a size is broadcast

std::ostream& operator<<(std::ostream& out, const Shape& shape);

// Strides of a row-major tensor: the last index runs fastest.
Strides row_major(const Shape& shape);

// The index of a dimension given as -dims..dims-1; throws with the op's name when it is outside.
int axis_of(const char* op, long axis, const Shape& shape);

// Where element number `element` of a row-major tensor stands: position_of(5, {2, 3}) is (1, 2).
Shape position_of(long element, const Shape& shape);

// What a and b broadcast to: sizes are aligned at the right, 1 stretches. Throws with the op's name.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

}  // namespace heed
