#include "system/quantities.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "system/text.h"

namespace heed {

std::string with_commas(long number) {
  std::string text = std::to_string(number);
  for (long i = long(text.size()) - 3; i > (number < 0); i -= 3) text.insert(size_t(i), 1, ',');
  return text;
}

std::string megabytes(double bytes) { return three_digits(bytes / 1e6) + " MB"; }

std::string three_digits(double x) {
  if (!(std::abs(x) > 0) || !std::isfinite(x)) return format("%g", x);
  const double rounded = std::strtod(format("%.2e", x).c_str(), nullptr);  // 99.96 has three digits before the point
  const int decimals = std::clamp(2 - int(std::floor(std::log10(std::abs(rounded)) + 1e-12)), 0, 9);
  return format("%.*f", decimals, x);
}

std::string ratio_text(double ratio) { return format("%.*fx", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio); }

std::string time_text(double seconds) {
  if (seconds < 1e-3) return three_digits(seconds * 1e6) + " us";
  return seconds < 1 ? three_digits(seconds * 1e3) + " ms" : three_digits(seconds) + " s";
}

}  // namespace heed
