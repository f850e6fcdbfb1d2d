#include "nn/positions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "autograd/ops/concatenate.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/views.h"
#include "tensor/copy.h"
#include "tensor/create.h"
#include "tensor/ops/embedding.h"

namespace heed {
namespace {

constexpr long kFarthest = 1L << 40;  // beyond it a double no longer tells neighbouring angles apart
constexpr long kAhead = 256;  // sinusoids computed at a time, so that decoding one token is not a computation each

void check_x(const char* op, const Variable& x, long C) {
  check_defined(op, x.value());
  HEED_CHECK(x.dims() >= 2 && (C < 0 || x.size(-1) == C), op, "x is ", x.shape(), "; it must be (B, T, ",
             C < 0 ? "C" : std::to_string(C), ")");
}

void check_range(const char* op, long T, long offset, long n) {
  HEED_CHECK(T >= 0 && offset >= 0 && offset <= n - T, op, T, " tokens were given at offset ", offset,
             "; there are positions 0 to ", n - 1, ". Make the module longer, or the sequence shorter");
}

// The least and the greatest of positions, which must be 0 .. n - 1; {0, 0} of none
std::pair<long, long> ends_of(const char* op, const Tensor& positions, long n) {
  const std::vector<int64_t> all = positions.to_vector<int64_t>();
  if (all.empty()) return {0, 0};
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  HEED_CHECK(*least >= 0 && *most < n, op, "positions from ", *least, " to ", *most,
             " were given; there are positions 0 to ", n - 1, ". Make the module longer, or the positions smaller");
  return {*least, *most};
}

Tensor shifted(const Tensor& positions, long by) {
  std::vector<int64_t> all = positions.to_vector<int64_t>();
  for (int64_t& position : all) position += by;
  return from_vector(all, positions.shape());
}

Shape equal_parts(const Shape& sizes, long C) {
  HEED_CHECK(C % std::max(sizes.dims(), 1) == 0, "axial_positions", "C is ", C, " and there are ", sizes.dims(),
             " axes ", sizes, "; C cannot be cut into equal parts. Name them: {.channels = ...}");
  return Shape::filled(sizes.dims(), C / std::max(sizes.dims(), 1));
}

Shape channels_of(const Shape& sizes, long C, const AxialPositions::Options& options) {
  HEED_CHECK(sizes.dims() > 0, "axial_positions", "there are no axes; name at least one size, as {rows, columns}");
  HEED_CHECK(!options.sum || options.channels.dims() == 0, "axial_positions", "the channels are ", options.channels,
             " and sum is set; summed tables all have C channels. Leave one of the two out");
  if (options.sum) return Shape::filled(sizes.dims(), C);
  const Shape channels = options.channels.dims() ? options.channels : equal_parts(sizes, C);
  long total = 0;
  for (long part : channels) total += part;
  HEED_CHECK(channels.dims() == sizes.dims() && total == C, "axial_positions", "the axes are ", sizes,
             ", the channels are ", channels, " and C is ", C,
             "; there must be one number of channels per axis, and their sum must be C");
  return channels;
}

}  // namespace

Tensor sinusoid_positions(long T, long C, long offset, DType dtype) {
  HEED_CHECK(T >= 0 && C >= 0, "sinusoid_positions", "T is ", T, " and C is ", C, "; neither may be below 0");
  HEED_CHECK(std::abs(offset) <= kFarthest, "sinusoid_positions", "the offset is ", offset, "; it must be within 2^40");
  std::vector<double> values(static_cast<size_t>(T * C));
  for (long c = 0; c < C; c++) {
    const double per_position = std::pow(10000.0, -double(c - c % 2) / double(C));
    for (long t = 0; t < T; t++) {
      const double angle = double(offset + t) * per_position;
      values[size_t(t * C + c)] = c % 2 ? std::cos(angle) : std::sin(angle);
    }
  }
  return cast(from_vector(values, {T, C}), dtype);
}

Variable SinusoidPositions::forward(const Variable& x, Context&, long offset) {
  check_x("sinusoid_positions", x, -1);
  const long T = x.size(-2), C = x.size(-1);
  const bool fits = table_.defined() && table_.size(1) == C && table_.dtype() == x.dtype() &&
                    table_.device() == x.value().device() && offset >= first_ && offset + T <= first_ + table_.size(0);
  if (!fits) {
    table_ = to(sinusoid_positions(std::max(T, kAhead), C, offset, x.dtype()), x.value().device());
    first_ = offset;
  }
  return x + Variable(slice(table_, 0, offset - first_, offset - first_ + T));
}

Variable SinusoidPositions::forward(const Variable& x, const Tensor& positions) {
  check_x("sinusoid_positions", x, -1);
  const auto [least, most] = ends_of("sinusoid_positions", positions, kFarthest);
  const Tensor table = sinusoid_positions(most - least + 1, x.size(-1), least, x.dtype());
  return x + Variable(embedding(to(table, x.value().device()), shifted(positions, -least)));
}

LearnedPositions::LearnedPositions(long max_length, long C, const Init& init)
    : weight(parameter("weight", {max_length, C}, init)) {}

Variable LearnedPositions::rows(long T, long offset) const {
  check_range("learned_positions", T, offset, weight.size(0));
  return slice(weight, 0, offset, offset + T);
}

Variable LearnedPositions::forward(const Variable& x, Context&, long offset) {
  check_x("learned_positions", x, weight.size(1));
  return x + rows(x.size(-2), offset);
}

Variable LearnedPositions::forward(const Variable& x, const Tensor& positions) {
  check_x("learned_positions", x, weight.size(1));
  ends_of("learned_positions", positions, weight.size(0));
  return x + embedding(weight, positions);
}

AxialPositions::AxialPositions(const Shape& sizes, long C, const Options& options)
    : sizes_(sizes), C_(C), sum_(options.sum) {
  const Shape channels = channels_of(sizes, C, options);
  for (int a = 0; a < sizes.dims(); a++)
    tables_.push_back(&parameter("axis_" + std::to_string(a), {sizes[a], channels[a]}, options.weight));
}

Variable AxialPositions::at(const std::vector<int64_t>& positions, const Shape& shape) const {
  std::vector<Variable> parts;
  for (int a = 0; a < sizes_.dims(); a++) {
    long inner = 1;  // positions between two steps along this axis
    for (int i = a + 1; i < sizes_.dims(); i++) inner *= sizes_[i];
    std::vector<int64_t> steps;
    for (const int64_t p : positions) steps.push_back(p / inner % sizes_[a]);
    parts.push_back(embedding(*tables_[size_t(a)], from_vector(steps, shape)));
  }
  if (!sum_) return concatenate(parts, -1);
  Variable total = parts[0];
  for (size_t a = 1; a < parts.size(); a++) total = total + parts[a];
  return total;
}

Variable AxialPositions::rows(long T, long offset) const {
  check_range("axial_positions", T, offset, sizes_.numel());
  std::vector<int64_t> positions;
  for (long p = offset; p < offset + T; p++) positions.push_back(p);
  return at(positions, {T});
}

Variable AxialPositions::forward(const Variable& x, Context&, long offset) {
  check_x("axial_positions", x, C_);
  return x + rows(x.size(-2), offset);
}

Variable AxialPositions::forward(const Variable& x, const Tensor& positions) {
  check_x("axial_positions", x, C_);
  ends_of("axial_positions", positions, sizes_.numel());
  return x + at(positions.to_vector<int64_t>(), positions.shape());
}

}  // namespace heed
