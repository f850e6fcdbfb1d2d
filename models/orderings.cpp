#include "models/orderings.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "models/sublayer.h"
#include "system/error.h"
#include "system/nearest.h"
#include "system/text.h"
#include "tensor/draws.h"

namespace heed {
namespace {

constexpr long kAttentionCost = 1, kFeedForwardCost = 2;  // of matrices, in 4 C^2 parameters
constexpr long kLayerCost = kAttentionCost + kFeedForwardCost;

Draws draws_of(long seed) { return Draws({.seed = uint32_t(seed), .site = site_hash("ordering")}); }

std::string interleaved(long layers, long) { return repeated("sf", layers); }

std::string sandwich(long layers, long k) { return repeated("s", k) + repeated("sf", layers - k) + repeated("f", k); }

std::string shuffled(long layers, long seed) {
  std::string letters = repeated("sf", layers);
  draws_of(seed).shuffle(letters);
  return letters;
}

std::string unbalanced(long layers, long seed) {
  Draws draws = draws_of(seed);
  for (;;) {
    std::string letters;
    long left = layers * kLayerCost;
    while (left > 0) {
      letters += draws.below(2) == 0 ? 's' : 'f';
      left -= letters.back() == 's' ? kAttentionCost : kFeedForwardCost;
    }
    if (left == 0 && letters.find('s') != std::string::npos) return letters;
  }
}

struct NamedOrdering {
  const char *name, *number;  // what stands behind the colon; null: nothing
  std::string (*letters)(long layers, long number);
};
constexpr NamedOrdering kNamed[] = {{"interleaved", nullptr, interleaved},
                                    {"sandwich", "k", sandwich},
                                    {"random", "seed", shuffled},
                                    {"unbalanced", "seed", unbalanced}};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const NamedOrdering& each : kNamed) all.push_back(each.name);
  return all;
}

std::string expanded(const NamedOrdering& ordering, const std::string& text, long layers) {
  const std::string name = ordering.name;
  HEED_CHECK(layers >= 1, "ordering", "'", text, "' is for ", layers, " layers; there must be at least 1");
  if (!ordering.number) {
    HEED_CHECK(text == name, "ordering", "'", text, "' has something behind its name; ", name, " takes nothing");
    return ordering.letters(layers, 0);
  }
  const bool seed = std::string(ordering.number) == "seed";
  const long most = seed ? long(std::numeric_limits<uint32_t>::max()) : layers;
  const auto number = text.size() > name.size() ? number_in<long>(text.substr(name.size() + 1)) : std::nullopt;
  HEED_CHECK(number && *number >= 0 && *number <= most, "ordering", "'", text, "' is not ", name, ":", ordering.number,
             " with a whole number from 0 to ", most, seed ? "" : ", the number of layers");
  return ordering.letters(layers, *number);
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "random:1..4" -> random:1, random:2, random:3, random:4
std::vector<std::string> expanded_range(const std::string& text) {
  constexpr long kMost = 1000;
  const size_t colon = text.find(':'), dots = text.find("..");
  if (dots == std::string::npos) return {text};
  const auto number = [](const std::string& part) { return number_in<long>(part).value_or(-1); };
  const long first = colon < dots ? number(text.substr(colon + 1, dots - colon - 1)) : -1;
  const long last = number(text.substr(dots + 2));
  HEED_CHECK(first >= 0 && first <= last && last - first < kMost, "ordering", "'", text,
             "' is no range of orderings; one is such as random:1..4, from the smaller whole number to the larger, and "
             "at most ",
             kMost, " of them");
  std::vector<std::string> list;
  for (long i = first; i <= last; i++) list.push_back(text.substr(0, colon + 1) + std::to_string(i));
  return list;
}

std::vector<std::string> mixing_letters() {  // "s (attention)", and whatever else there is
  std::vector<std::string> letters;
  for (const SublayerKind* kind : all_sublayers.all())
    if (kind->sees == Sees::sequence) letters.push_back(titled(*kind));
  return letters;
}

}  // namespace

std::string expanded_ordering(const std::string& text, long layers) {
  if (text.empty()) return expanded(kNamed[0], kNamed[0].name, layers);
  const std::string name = text.substr(0, text.find(':'));
  for (const NamedOrdering& each : kNamed)
    if (name == each.name) return expanded(each, text, layers);
  if (name != text || !nearest_name(name, names()).empty()) fail_unknown("ordering", "ordering", name, names());
  return text;
}

std::vector<std::string> listed_orderings(const std::string& list) {
  std::vector<std::string> all;
  for (const std::string& place : split(without_blanks(list), ',')) {
    HEED_CHECK(!place.empty(), "ordering", "the list '", list,
               "' has a place with nothing in it; it is such as sandwich:1..3,random:1,ssff");
    for (const std::string& text : expanded_range(place)) all.push_back(text);
  }
  return all;
}

void check_language_ordering(const char* op, const std::string& letters) {
  bool mixes = false;
  for (const SublayerKind* kind : sublayer_kinds(op, letters)) {
    HEED_CHECK(kind->sees != Sees::source, op, "the ordering '", letters, "' has ", titled(*kind),
               ", which reads a source; a language model has none. Leave it away, or use an encoder-decoder");
    mixes |= kind->sees == Sees::sequence;
  }
  HEED_CHECK(mixes, op, "the ordering '", letters,
             "' has nothing that mixes tokens; a language model needs at least one ", joined(mixing_letters(), " or "),
             ", or it sees one token");
}

}  // namespace heed
