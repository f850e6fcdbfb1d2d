#include "show/characters.h"

#include "system/error.h"
#include "system/text.h"
#include "tensor/copy.h"
#include "tensor/create.h"

namespace heed {
namespace {

// Does the text break off in the midst of a character?
bool ends_within_character(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const size_t size = utf8_character(rest);
    if (size == 0 && utf8_may_go_on(rest)) return true;
    i += size ? size : 1;
  }
  return false;
}

}  // namespace

Characters characters_of(const std::vector<std::string>& tokens) {
  Characters all;
  std::string text;
  for (size_t i = 0; i < tokens.size(); i++) {
    text += tokens[i];
    // Where the text breaks off in a character that the next token does not go on with, the bytes stand alone.
    const bool goes_on = ends_within_character(text) && i + 1 < tokens.size() && !tokens[i + 1].empty() &&
                         (uint8_t(tokens[i + 1][0]) & 0xc0) == 0x80;
    if (goes_on) continue;
    all.texts.push_back(readable(text));
    all.ends.push_back(long(i + 1));
    text.clear();
  }
  return all;
}

Tensor grouped(const Tensor& weights, const Characters& characters) {
  const long T = characters.ends.empty() ? 0 : characters.ends.back(), G = long(characters.ends.size());
  HEED_CHECK(weights.dims() == 3 && weights.size(1) == T && weights.size(2) == T, "grouped", "the weights are ",
             weights.shape(), "; for ", T, " tokens they must be (H, ", T, ", ", T, ")");
  if (G == T) return weights;
  const long H = weights.size(0);
  const std::vector<double> from = cast(weights, f64).to_vector<double>();
  std::vector<double> to(size_t(H * G * G), 0);
  for (long h = 0; h < H; h++)
    for (long q = 0; q < G; q++) {
      const double* row = from.data() + (h * T + characters.ends[size_t(q)] - 1) * T;
      for (long k = 0, j = 0; k < G; k++)
        for (; j < characters.ends[size_t(k)]; j++) to[size_t((h * G + q) * G + k)] += row[j];
    }
  return cast(from_vector(to, {H, G, G}), weights.dtype());
}

}  // namespace heed
