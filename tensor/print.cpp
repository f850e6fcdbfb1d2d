// Printing: values in nested brackets, long axes shortened in the middle, then what it is.
#include <cmath>
#include <cstdio>

#include "tensor/copy.h"
#include "tensor/tensor.h"
#include "tensor/views.h"

namespace heed {
namespace {

constexpr long kShortAxis = 8, kEdge = 3;  // an axis longer than 8 shows 3 at each end

std::string number(const Tensor& x) {
  if (x.dtype() == boolean) return x.item() ? "true" : "false";
  if (is_integer(x.dtype())) return std::to_string(x.to_vector<int64_t>()[0]);  // a double holds 53 bits only
  if (std::isnan(x.item())) return "nan";                                       // never "-nan": its sign means nothing
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x.item());
  return text;
}

std::string values(const Tensor& x, int depth) {
  if (x.dims() == 0) return number(x);
  const bool rows = x.dims() > 1;
  const std::string gap = rows ? ",\n" + std::string(depth + 1, ' ') : ", ";
  std::string text = "[";
  for (long i = 0; i < x.size(0); i++) {
    if (x.size(0) > kShortAxis && i == kEdge) {
      text += gap + "...";
      i = x.size(0) - kEdge;
    }
    text += (i ? gap : "") + values(select(x, 0, i), depth + 1);
  }
  return text + "]";
}

}  // namespace

std::string Tensor::str() const {
  if (!defined()) return "Tensor(undefined)";
  std::ostringstream text;
  text << values(to(*this, cpu), 7) << ", " << shape_ << ", " << dtype_;
  if (device() != cpu) text << ", " << device();
  return "Tensor(" + text.str() + ")";
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << x.str(); }

}  // namespace heed
