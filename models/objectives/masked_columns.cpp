#include "models/objectives/masked_columns.h"

#include <algorithm>

#include "system/nearest.h"
#include "tensor/create.h"
#include "tensor/ops/concatenate.h"
#include "tensor/ops/cross_entropy.h"

namespace heed {
namespace {

using Kind = Column::Kind;

// Every token at its place, predicted ones as copies; all see all.
Columns in_place(const Factorisation& order) {
  const long c = long(order.visible.size()), b = long(order.predicted.size()), n = b + c;
  Columns columns{.all = std::vector<Column>(size_t(n)), .read = order.predicted};
  for (const long p : order.visible) columns.all[size_t(p)] = {Kind::visible, p, -1, 0, n - 1};
  for (long i = 0; i < b; i++) {
    const long p = order.predicted[size_t(i)];
    columns.all[size_t(p)] = {Kind::copy, p, i, 0, n - 1};
  }
  return columns;
}

// [K] | U | T | Q. Without K the ranges are those of the other columns, moved to the left.
Columns in_streams(const Factorisation& order, bool copies) {
  const long c = long(order.visible.size()), b = long(order.predicted.size()), k = copies ? b : 0, n = k + c;
  Columns columns;
  const auto add = [&](Kind kind, long i, long first, long last) {
    columns.all.push_back({kind, order.predicted[size_t(i)], i, first, last});
  };
  for (long i = 0; i < k; i++) add(Kind::copy, i, 0, n - 1);
  for (const long p : order.visible) columns.all.push_back({Kind::visible, p, -1, 0, n - 1});
  for (long i = 0; i < b; i++) add(Kind::token, i, copies ? i + 1 : 0, n + i);
  for (long i = 0; i < b; i++) {
    columns.read.push_back(long(columns.all.size()));
    add(Kind::query, i, copies ? i : 0, n + i - 1);
  }
  return columns;
}

int64_t id_of(const Column& column, const MaskedText& text, Masking masking, int64_t mask) {
  if (column.kind == Kind::visible || column.kind == Kind::token) return text.ids[size_t(column.position)];
  return masking == Masking::plm ? mask : text.copies[size_t(column.predicted)];
}

void check(const std::vector<MaskedText>& texts) {
  HEED_CHECK(!texts.empty(), "masked_columns", "there is no text");
  for (const MaskedText& text : texts) {
    const size_t n = text.ids.size(), b = text.order.predicted.size();
    HEED_CHECK(text.order.visible.size() + b == n && text.copies.size() == b, "masked_columns", "a text has ", n,
               " tokens, and its factorisation ", text.order.visible.size(), " seen and ", b,
               " predicted ones, of which ", text.copies.size(), " have a copy");
    HEED_CHECK(text.segments.empty() || text.segments.size() == n, "masked_columns", "a text has ", n, " tokens, and ",
               text.segments.size(), " of them have a segment");
  }
}

// The rows of a tensor, filled up behind their ends.
class Rows {
 public:
  Rows(size_t rows, size_t width, int64_t filling) : width_(width), all_(rows * width, filling) {}
  int64_t& at(size_t row, size_t i) { return all_[row * width_ + i]; }
  Tensor tensor(const Shape& shape) const { return from_vector(all_, shape); }

 private:
  size_t width_;
  std::vector<int64_t> all_;
};

// Behind the end of a shorter text are columns that see nothing and that nobody sees.
struct Filling {
  Rows ids, positions, first, last, segments, read, targets;
  std::vector<int64_t> lengths = {};
  long counted = 0;

  Filling(size_t B, size_t T, size_t Q)
      : ids(B, T, 0),
        positions(B, T, 0),
        first(B, T, 0),
        last(B, T, -1),
        segments(B, T, -1),
        read(B, Q, -1),
        targets(B, Q, kNoTarget) {}

  void add(const Columns& columns, const MaskedText& text, Masking masking, int64_t mask) {
    const size_t row = lengths.size();
    for (size_t t = 0; t < columns.all.size(); t++) {
      const Column& column = columns.all[t];
      ids.at(row, t) = id_of(column, text, masking, mask);
      positions.at(row, t) = column.position;
      first.at(row, t) = column.first, last.at(row, t) = column.last;
      segments.at(row, t) = text.segments.empty() ? 0 : text.segments[size_t(column.position)];
    }
    for (size_t q = 0; q < columns.read.size(); q++) {
      read.at(row, q) = columns.read[q];
      targets.at(row, q) = text.ids[size_t(text.order.predicted[q])];
    }
    lengths.push_back(int64_t(columns.all.size()));
    counted += long(columns.read.size());
  }
};

}  // namespace

const std::vector<std::string>& masking_names() {
  static const std::vector<std::string> names = {"mlm", "plm", "mpnet"};
  return names;
}

Masking masking_of(const std::string& name) {
  const auto& names = masking_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) fail_unknown("masked_columns", "objective", name, names);
  return Masking(found - names.begin());
}

Columns columns_of(Masking masking, const Factorisation& order) {
  return masking == Masking::mlm ? in_place(order) : in_streams(order, masking == Masking::mpnet);
}

Batch masked_batch(Masking masking, const std::vector<MaskedText>& texts, int64_t mask) {
  check(texts);
  std::vector<Columns> rows;
  size_t T = 0, Q = 0;
  bool documents = false, padded = false;
  for (const MaskedText& text : texts) {
    rows.push_back(columns_of(masking, text.order));
    T = std::max(T, rows.back().all.size()), Q = std::max(Q, rows.back().read.size());
    padded |= rows.back().all.size() != rows.front().all.size();
    documents |= !text.segments.empty();
  }
  Filling filling(texts.size(), T, Q);
  for (size_t row = 0; row < texts.size(); row++) filling.add(rows[row], texts[row], masking, mask);
  const long B = long(texts.size());
  const Shape columns{B, long(T)}, queries{B, long(Q)};
  Batch batch{.inputs = filling.ids.tensor(columns), .targets = filling.targets.tensor(queries)};
  batch.read = filling.read.tensor(queries);
  batch.counted = filling.counted;
  if (documents) batch.segments = filling.segments.tensor(columns);
  if (padded) batch.lengths = from_vector(filling.lengths, {B});
  if (masking == Masking::mlm) return batch;
  batch.positions = filling.positions.tensor(columns);
  batch.ranges = stack({filling.first.tensor(columns), filling.last.tensor(columns)}, 2);
  return batch;
}

}  // namespace heed
