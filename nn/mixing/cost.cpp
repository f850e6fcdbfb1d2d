#include "nn/mixing/cost.h"

#include <cmath>

namespace heed {
namespace {

const char* name_of(Growth growth) {
  switch (growth) {
    case Growth::constant: return "1";
    case Growth::linear: return "n";
    case Growth::log_linear: return "n log n";
    case Growth::root: return "n sqrt(n)";
    case Growth::square: return "n^2";
  }
  return "";
}

}  // namespace

std::string Cost::text() const {
  const bool only_factor = growth == Growth::constant && !factor.empty();
  return "O(" + (only_factor ? factor : name_of(growth) + (factor.empty() ? "" : " " + factor)) + ")";
}

double Cost::times(double longer, double n) const {
  switch (growth) {
    case Growth::constant: return 1;
    case Growth::linear: return longer;
    case Growth::log_linear: return longer * std::log(longer * n) / std::log(n);
    case Growth::root: return longer * std::sqrt(longer);
    case Growth::square: return longer * longer;
  }
  return longer * longer;
}

}  // namespace heed
