#include "tests/support/compare.h"

#include <cmath>
#include <cstring>

#include "tensor/copy.h"
#include "tensor/random.h"

using namespace heed;

namespace {

bool close(double got, double want, double tolerance) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  return got == want || std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want));
}

}  // namespace

void for_each_index(const Shape& shape, FunctionRef<void(const Shape&)> f) {
  Shape index = Shape::filled(shape.dims(), 0);
  for (long left = shape.numel(); left > 0; left--) {
    f(index);
    for (int i = shape.dims() - 1; i >= 0 && ++index[i] == shape[i]; i--) index[i] = 0;
  }
}

void check_close(const Tensor& got, const Tensor& want, double tolerance) {
  BOOST_TEST_REQUIRE(got.shape() == want.shape());
  const auto g = got.to_vector<double>(), w = want.to_vector<double>();
  long e = 0;
  bool found = false;
  for_each_index(got.shape(), [&](const Shape& index) {
    if (!found && !close(g[e], w[e], tolerance)) {
      BOOST_ERROR("at " << index << " of " << got.shape() << ": got " << g[e] << ", want " << w[e] << ", tolerance "
                        << tolerance);
      found = true;
    }
    e++;
  });
  BOOST_TEST(!found);  // counts as a check when all is well
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = contiguous(to(a, cpu)), y = contiguous(to(b, cpu));
  auto bytes = [](const Tensor& t) {
    return static_cast<const char*>(t.storage()->data()) + t.offset() * size_of(t.dtype());
  };
  return std::memcmp(bytes(x), bytes(y), size_t(x.numel() * size_of(x.dtype()))) == 0;
}

Tensor noise(const Shape& shape, uint32_t seed, DType dtype) { return randn(shape, seed, dtype); }
