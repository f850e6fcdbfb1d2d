#include "data/token_data.h"

#include <algorithm>

#include "system/ceil_div.h"
#include "system/error.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr const char* kOp = "token_data";

std::string_view text_of(const ByteDocument& document) {
  return {reinterpret_cast<const char*>(document.bytes), size_t(document.size)};
}

// What the targets that count stand for.
long bytes_of(const Tensor& targets, const Vocabulary& vocabulary) {
  long bytes = 0;
  const int64_t* ids = targets.data<int64_t>();
  for (long i = 0; i < targets.numel(); i++)
    if (ids[i] != kNoTarget) bytes += long(vocabulary.bytes(ids[i]).size());
  return bytes;
}

}  // namespace

TokenSplit::TokenSplit(const ByteSplit& text, std::shared_ptr<const Vocabulary> vocabulary)
    : text_(text), vocabulary_(std::move(vocabulary)) {
  if (vocabulary_->is_bytes())
    take_bytes();
  else
    vocabulary_->size() <= 1 << 16 ? encode<uint16_t>() : encode<uint32_t>();
}

void TokenSplit::take_bytes() {
  for (const ByteDocument& document : text_.documents()) {
    documents_.push_back(document.bytes);
    starts_.push_back(starts_.back() + document.size);
  }
}

template <class E> void TokenSplit::encode() {
  id_bytes_ = sizeof(E);
  const auto all = std::make_shared<std::vector<E>>();
  const long V = vocabulary_->size();
  for (const ByteDocument& document : text_.documents()) {
    long bytes = 0;
    vocabulary_->encode(text_of(document), [&](int64_t id) {
      HEED_CHECK(id >= 0 && id < V, kOp, "'", document.name, "' has the token ", id, "; the vocabulary of the kind '",
                 vocabulary_->kind(), "' has 0 to ", V - 1);
      all->push_back(E(id));
      bytes += long(vocabulary_->bytes(id).size());
    });
    HEED_CHECK(bytes == document.size, kOp, "the tokens of '", document.name, "' have ", bytes, " bytes and the text ",
               document.size, "; the vocabulary of the kind '", vocabulary_->kind(), "' loses some");
    starts_.push_back(long(all->size()));
  }
  all->shrink_to_fit();
  for (size_t d = 0; d + 1 < starts_.size(); d++) documents_.push_back(all->data() + starts_[d]);
  encoded_ = all;
}

double TokenSplit::bytes_per_token() const { return size() > 0 ? double(text_.size()) / double(size()) : 1; }

long TokenSplit::document_at(long place) const {
  return std::upper_bound(starts_.begin(), starts_.end() - 1, place) - starts_.begin() - 1;
}

void TokenSplit::check_window(long T) const {
  HEED_CHECK(size() > T, kOp, "the part '", name(), "' has ", size(), " ", vocabulary_->units(), "; a window of ", T,
             " inputs and their targets needs ", T + 1, ". Give more data or a shorter context");
}

TokenBatch TokenSplit::batch(uint32_t seed, uint32_t step, uint32_t first_sample, long B, long T) const {
  HEED_CHECK(B >= 1 && T >= 1, kOp, "a batch of ", B, " windows of ", T, " ", vocabulary_->units(),
             "; both must be at least 1");
  check_window(T);
  const uint64_t places = uint64_t(size() - T);
  const RandomKey key{.seed = seed, .step = step, .site = site_hash("byte_data")};  // as it was when all were bytes
  std::vector<long> starts;
  for (long row = 0; row < B; row++) {
    const Philox4 draw = philox({key.site, first_sample + uint32_t(row), 0, 0}, key.key());
    const uint64_t wide = uint64_t(draw[0]) << 32 | draw[1];
    starts.push_back(long((unsigned __int128)(wide)*places >> 64));
  }
  return windows_at(starts, std::vector<long>(size_t(B), 0), T);
}

long TokenSplit::segments(long streams, long T) const {
  HEED_CHECK(streams >= 1 && T >= 1, kOp, streams, " streams of ", T, " ", vocabulary_->units(),
             " at a time; both must be at least 1");
  const long all = (size() - 1) / (streams * T);
  HEED_CHECK(all >= 1, kOp, "the part '", name(), "' has ", size(), " ", vocabulary_->units(), "; ", streams,
             " streams of ", T, " inputs at a time need ", streams * T + 1,
             ". Give more data, a smaller batch or a shorter context");
  return all;
}

TokenBatch TokenSplit::stream(const StreamPlace& at) const {
  const long n = segments(at.streams, at.T), length = n * at.T, slack = size() - 1 - at.streams * length;
  const RandomKey key{.seed = at.seed, .step = at.restart, .site = site_hash("token_data stream")};
  const Philox4 draw = philox({key.site, uint32_t(at.segment / n), 0, 0}, key.key());
  const long shift = long(uint64_t(draw[0]) * uint64_t(slack + 1) >> 32);
  std::vector<long> starts;
  for (long row = at.first; row < at.first + at.rows; row++)
    starts.push_back(shift + row * length + at.segment % n * at.T);
  TokenBatch batch = windows_at(starts, std::vector<long>(size_t(at.rows), 0), at.T);
  batch.segments = Tensor();
  return batch;
}

TokenBatch TokenSplit::windows_at(const std::vector<long>& starts, const std::vector<long>& skip, long T) const {
  const long B = long(starts.size());
  HEED_CHECK(skip.size() == starts.size(), kOp, B, " windows and ", skip.size(), " numbers to skip");
  for (const long start : starts)
    HEED_CHECK(start >= 0 && start < size(), kOp, "a window at ", start, "; the part '", name(), "' has ", size(), " ",
               vocabulary_->units());
  TokenBatch batch{Tensor::empty({B, T}, i64), Tensor::empty({B, T}, i64), Tensor::empty({B, T}, i64)};
  id_bytes_ == 1   ? fill<uint8_t>(batch, starts, skip)
  : id_bytes_ == 2 ? fill<uint16_t>(batch, starts, skip)
                   : fill<uint32_t>(batch, starts, skip);
  batch.bytes = vocabulary_->is_bytes() ? batch.counted : bytes_of(batch.targets, *vocabulary_);
  return batch;
}

template <class E>
void TokenSplit::fill(TokenBatch& batch, const std::vector<long>& starts, const std::vector<long>& skip) const {
  int64_t* input = batch.inputs.mutable_data<int64_t>();
  int64_t* target = batch.targets.mutable_data<int64_t>();
  int64_t* segment = batch.segments.mutable_data<int64_t>();
  const long T = batch.inputs.size(1);
  bool several = false;  // does a row have more than one document?
  for (size_t row = 0; row < starts.size(); row++) {
    const long first = document_at(starts[row]);
    long d = first;
    for (long t = 0; t < T; t++, input++, target++, segment++) {
      const long place = starts[row] + t, inside = std::min(place, size() - 1);
      while (inside >= starts_[size_t(d) + 1]) d++;
      const E* at = static_cast<const E*>(documents_[size_t(d)]) + (inside - starts_[size_t(d)]);
      const bool counts = t >= skip[row] && place + 1 < starts_[size_t(d) + 1];
      *input = place == inside ? *at : 0;
      *target = counts ? at[1] : kNoTarget;
      *segment = d - first;
      batch.counted += counts;
    }
    several = several || d != first;
  }
  if (!several) batch.segments = Tensor();
}

TokenWindows::TokenWindows(const TokenSplit& split, long B, long T, long stride)
    : split_(split), B_(B), T_(T), stride_(stride) {
  const std::string units = split.vocabulary().units();
  HEED_CHECK(B >= 1 && T >= 1, kOp, "windows of ", T, " ", units, ", ", B, " at a time; both must be at least 1");
  HEED_CHECK(stride >= 1 && stride <= T, kOp, "windows of ", T, " ", units, " and a stride of ", stride,
             "; the stride must be 1 to ", T, ", so that none is left out");
  const long inputs = split.size() - 1;  // the last token is a target only
  windows_ = inputs < 1 ? 0 : 1 + ceil_div(std::max(inputs - T, 0L), stride);
}

bool TokenWindows::next(TokenBatch& batch) {
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
