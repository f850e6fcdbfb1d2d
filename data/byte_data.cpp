// Splits, batches and windows. What is in a file or folder is read in byte_data_open.cpp.
#include "data/byte_data.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "system/ceil_div.h"
#include "tensor/random.h"

namespace heed {

ByteSplit::ByteSplit(std::vector<ByteDocument> documents, std::shared_ptr<const void> owner, const std::string& name)
    : name_(name), documents_(std::move(documents)), starts_{0}, owner_(std::move(owner)) {
  for (const ByteDocument& document : documents_) starts_.push_back(starts_.back() + document.size);
}

long ByteSplit::document_at(long place) const {
  return std::upper_bound(starts_.begin(), starts_.end() - 1, place) - starts_.begin() - 1;
}

ByteBatch ByteSplit::batch(uint32_t seed, uint32_t step, uint32_t first_sample, long B, long T) const {
  HEED_CHECK(B >= 1 && T >= 1, "byte_data", "a batch of ", B, " windows of ", T, " bytes; both must be at least 1");
  HEED_CHECK(size() > T, "byte_data", "the part '", name_, "' has ", size(), " bytes; a window of ", T,
             " inputs and their targets needs ", T + 1, ". Give more data or a shorter context");
  const uint64_t places = uint64_t(size() - T);
  const RandomKey key{.seed = seed, .step = step, .site = site_hash("byte_data")};
  std::vector<long> starts;
  for (long row = 0; row < B; row++) {
    const Philox4 draw = philox({key.site, first_sample + uint32_t(row), 0, 0}, key.key());
    const uint64_t wide = uint64_t(draw[0]) << 32 | draw[1];
    starts.push_back(long((unsigned __int128)(wide)*places >> 64));
  }
  return windows_at(starts, std::vector<long>(size_t(B), 0), T);
}

long ByteSplit::segments(long streams, long T) const {
  HEED_CHECK(streams >= 1 && T >= 1, "byte_data", streams, " streams of ", T,
             " bytes at a time; both must be at least 1");
  const long all = (size() - 1) / (streams * T);
  HEED_CHECK(all >= 1, "byte_data", "the part '", name_, "' has ", size(), " bytes; ", streams, " streams of ", T,
             " inputs at a time need ", streams * T + 1, ". Give more data, a smaller batch or a shorter context");
  return all;
}

ByteBatch ByteSplit::stream(const ByteStream& at) const {
  const long n = segments(at.streams, at.T), length = n * at.T, slack = size() - 1 - at.streams * length;
  const RandomKey key{.seed = at.seed, .step = at.restart, .site = site_hash("byte_data stream")};
  const Philox4 draw = philox({key.site, uint32_t(at.segment / n), 0, 0}, key.key());
  const long shift = long(uint64_t(draw[0]) * uint64_t(slack + 1) >> 32);
  std::vector<long> starts;
  for (long row = at.first; row < at.first + at.rows; row++)
    starts.push_back(shift + row * length + at.segment % n * at.T);
  ByteBatch batch = windows_at(starts, std::vector<long>(size_t(at.rows), 0), at.T);
  batch.segments = Tensor();
  return batch;
}

ByteBatch ByteSplit::windows_at(const std::vector<long>& starts, const std::vector<long>& skip, long T) const {
  const long B = long(starts.size());
  HEED_CHECK(skip.size() == starts.size(), "byte_data", B, " windows and ", skip.size(), " numbers to skip");
  ByteBatch batch{Tensor::empty({B, T}, i64), Tensor::empty({B, T}, i64), Tensor::empty({B, T}, i64)};
  int64_t* input = batch.inputs.mutable_data<int64_t>();
  int64_t* target = batch.targets.mutable_data<int64_t>();
  int64_t* segment = batch.segments.mutable_data<int64_t>();
  bool several = false;  // does a row have more than one document?
  for (long row = 0; row < B; row++) {
    const long start = starts[size_t(row)];
    HEED_CHECK(start >= 0 && start < size(), "byte_data", "a window at ", start, "; the part '", name_, "' has ",
               size(), " bytes");
    const long first = document_at(start);
    long d = first;
    for (long t = 0; t < T; t++, input++, target++, segment++) {
      const long place = start + t, inside = std::min(place, size() - 1);
      while (inside >= starts_[size_t(d) + 1]) d++;
      const uint8_t* at = documents_[size_t(d)].bytes + (inside - starts_[size_t(d)]);
      const bool counts = t >= skip[size_t(row)] && place + 1 < starts_[size_t(d) + 1];
      *input = place == inside ? *at : 0;
      *target = counts ? at[1] : kNoTarget;
      *segment = d - first;
      batch.counted += counts;
    }
    several = several || d != first;
  }
  if (!several) batch.segments = Tensor();
  return batch;
}

ByteSplit ByteSplit::first(long bytes) const {
  std::vector<ByteDocument> documents;
  for (const ByteDocument& document : documents_) {
    if (bytes <= 0) break;
    documents.push_back({document.name, document.bytes, std::min(document.size, bytes)});
    bytes -= document.size;
  }
  return ByteSplit(std::move(documents), owner_, name_);
}

double ByteSplit::entropy() const {
  std::array<long, 256> counts = {};
  for (const ByteDocument& document : documents_)
    for (long i = 0; i < document.size; i++) counts[document.bytes[i]]++;
  double bits = 0;
  for (const long count : counts)
    if (count > 0) bits -= double(count) * std::log2(double(count) / double(size()));
  return size() > 0 ? bits / double(size()) : 0;
}

ByteWindows::ByteWindows(const ByteSplit& split, long B, long T, long stride)
    : split_(split), B_(B), T_(T), stride_(stride) {
  HEED_CHECK(B >= 1 && T >= 1, "byte_data", "windows of ", T, " bytes, ", B, " at a time; both must be at least 1");
  HEED_CHECK(stride >= 1 && stride <= T, "byte_data", "windows of ", T, " bytes and a stride of ", stride,
             "; the stride must be 1 to ", T, ", so that no byte is left out");
  const long inputs = split.size() - 1;  // the last byte is a target only
  windows_ = inputs < 1 ? 0 : 1 + ceil_div(std::max(inputs - T, 0L), stride);
}

bool ByteWindows::next(ByteBatch& batch) {
  if (done_ == windows_) return false;
  std::vector<long> starts, skip;
  for (; done_ < windows_ && long(starts.size()) < B_; done_++) {
    starts.push_back(done_ * stride_);
    skip.push_back(done_ == 0 ? 0 : T_ - stride_);
  }
  batch = split_.windows_at(starts, skip, T_);
  return true;
}

}  // namespace heed
