#include "data/images/colour_means.h"

#include <algorithm>
#include <map>

#include "tensor/random.h"

namespace heed {
namespace {

using Colour = PixelPalette::Colour;
using Colours = std::vector<WeightedColour>;

constexpr long kSampled = 1L << 20, kMostPoints = 32768, kRounds = 100;

long distance(const Colour& a, const Colour& b) {
  long sum = 0;
  for (size_t c = 0; c < 3; c++) sum += (long(a[c]) - b[c]) * (long(a[c]) - b[c]);
  return sum;
}

// Draw number `number` below n
uint64_t drawn(uint32_t seed, uint64_t number, uint64_t n) {
  const Philox4 draw = philox({site_hash("palette"), uint32_t(number), uint32_t(number >> 32), 0}, seed);
  return uint64_t((unsigned __int128)(uint64_t(draw[0]) << 32 | draw[1]) * n >> 64);
}

struct Sum {
  long parts[3] = {}, weight = 0;
  void add(const WeightedColour& c) {
    for (size_t i = 0; i < 3; i++) parts[i] += c.weight * c.colour[i];
    weight += c.weight;
  }
  Colour mean() const {
    Colour colour;
    for (size_t i = 0; i < 3; i++) colour[i] = uint8_t((parts[i] + weight / 2) / weight);
    return colour;
  }
};

// Means of cubes whose sides are 2^bits levels.
Colours together(const Colours& colours, int bits) {
  std::map<Colour, Sum> cubes;
  for (const WeightedColour& c : colours) {
    Colour cube;
    for (size_t i = 0; i < 3; i++) cube[i] = uint8_t(c.colour[i] >> bits);
    cubes[cube].add(c);
  }
  Colours means;
  for (const auto& [cube, sum] : cubes) means.push_back({sum.mean(), sum.weight});
  return means;
}

// The colour at which the running sum of `shares` passes a draw.
const Colour& chosen(const Colours& colours, const std::vector<uint64_t>& shares, uint32_t seed, uint64_t number) {
  uint64_t total = 0;
  for (const uint64_t share : shares) total += share;
  uint64_t at = drawn(seed, number, total);
  for (size_t i = 0; i < shares.size(); i++) {
    if (at < shares[i]) return colours[i].colour;
    at -= shares[i];
  }
  return colours.back().colour;
}

std::vector<Colour> seeds_of(const Colours& colours, long k, uint32_t seed) {
  std::vector<uint64_t> shares;
  for (const WeightedColour& c : colours) shares.push_back(uint64_t(c.weight));
  std::vector<Colour> seeds = {chosen(colours, shares, seed, 0)};
  std::vector<long> nearest(colours.size(), INT64_MAX);  // squared distances
  while (long(seeds.size()) < k) {
    for (size_t i = 0; i < colours.size(); i++) {
      nearest[i] = std::min(nearest[i], distance(colours[i].colour, seeds.back()));
      shares[i] = uint64_t(colours[i].weight * nearest[i]);
    }
    seeds.push_back(chosen(colours, shares, seed, seeds.size()));
  }
  return seeds;
}

struct Round {
  std::vector<Sum> sums;
  long error = 0;  // weighted squared distances
  size_t far = 0;  // the colour that is farthest from its mean
};

Round assigned(const Colours& colours, const std::vector<Colour>& means) {
  Round round{.sums = std::vector<Sum>(means.size())};
  long farthest = -1;
  for (size_t i = 0; i < colours.size(); i++) {
    size_t best = 0;
    long least = INT64_MAX;
    for (size_t m = 0; m < means.size(); m++)
      if (const long d = distance(colours[i].colour, means[m]); d < least) best = m, least = d;
    round.sums[best].add(colours[i]);
    round.error += colours[i].weight * least;
    if (least > farthest) farthest = least, round.far = i;
  }
  return round;
}

}  // namespace

Colours sampled_colours(const Images& images, uint32_t seed) {
  const long channels = images.channels, pixels = long(images.pixels.size()) / channels;
  const long count = std::min(pixels, kSampled);
  std::vector<uint32_t> seen;
  seen.reserve(size_t(count));
  for (long i = 0; i < count; i++) {
    const size_t at =
        size_t(channels) * (pixels <= kSampled ? size_t(i) : drawn(seed, 1UL << 40 | uint64_t(i), uint64_t(pixels)));
    const uint8_t* p = &images.pixels[at];
    const uint32_t red = p[0], green = channels == 1 ? red : p[1], blue = channels == 1 ? red : p[2];
    seen.push_back(red << 16 | green << 8 | blue);
  }
  std::sort(seen.begin(), seen.end());
  Colours colours;
  for (size_t i = 0; i < seen.size(); i++) {
    const Colour colour = {uint8_t(seen[i] >> 16), uint8_t(seen[i] >> 8), uint8_t(seen[i])};
    if (i == 0 || seen[i] != seen[i - 1]) colours.push_back({colour, 0});
    colours.back().weight++;
  }
  Colours points = colours;
  for (int bits = 1; long(points.size()) > kMostPoints; bits++) points = together(colours, bits);
  return points;
}

std::vector<Colour> colour_means(const Colours& colours, long k, uint32_t seed) {
  std::vector<Colour> means;
  if (long(colours.size()) <= k) {
    for (const WeightedColour& c : colours) means.push_back(c.colour);
    return means;
  }
  means = seeds_of(colours, k, seed);
  long before = INT64_MAX;
  for (long i = 0; i < kRounds; i++) {
    const Round round = assigned(colours, means);
    for (size_t m = 0; m < means.size(); m++)
      means[m] = round.sums[m].weight ? round.sums[m].mean() : colours[round.far].colour;
    if (before - round.error < before / 10000) break;
    before = round.error;
  }
  std::sort(means.begin(), means.end());
  means.erase(std::unique(means.begin(), means.end()), means.end());  // rounding may have made two equal
  return means;
}

}  // namespace heed
