// Quantities for people: times, bytes and ratios with three digits.
#pragma once

#include <string>

namespace heed {

std::string with_commas(long number);   // "16,384"
std::string three_digits(double x);     // "0.0123", "1.23", "123", "12300"
std::string megabytes(double bytes);    // "12.3 MB"
std::string time_text(double seconds);  // "4.56 ms", "12.3 us"
std::string ratio_text(double ratio);   // "0.95x", "12.3x", "123x"

}  // namespace heed
