// Byte data: any file or folder as text to learn, one token per byte (V = 256). Files are memory-mapped.
//
//   const ByteData data = ByteData::open("data/enwik8");
//   const ByteBatch batch = data.train.batch(seed, step, 0, 16, 256);   // 16 windows of 256 bytes
//   cross_entropy(model.forward(batch.inputs, ctx), batch.targets, {.ignore = kNoTarget});
//
//   ByteWindows windows(data.valid, 16, 256, 256);                      // all of it, for the validation
//   for (ByteBatch batch; windows.next(batch);) ...
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/ops/cross_entropy.h"

namespace heed {

struct ByteBatch {
  Tensor inputs;     // (B, T) i64, 0..255
  Tensor targets;    // (B, T) i64: the byte behind each input; kNoTarget where it does not count
  Tensor segments;   // (B, T) i64 for segment_mask: the document of each input; undefined if every row has only one
  long counted = 0;  // targets that count
};

// A place in streams of text, see ByteSplit::stream.
struct ByteStream {
  uint32_t seed = 0, restart = 0;  // streams that begin anew for another reason than their end: another draw
  long streams = 1;                // in all
  long first = 0, rows = 1;        // those that are wanted
  long T = 1, segment = 0;
};

// A document, or the part of one that belongs to a split.
struct ByteDocument {
  std::string name;      // the path below the folder that was opened
  const uint8_t* bytes;  // lives as long as the ByteData or one of its splits
  long size;
};

// A part of the data: documents one behind the other.
class ByteSplit {
 public:
  ByteSplit() = default;
  ByteSplit(std::vector<ByteDocument> documents, std::shared_ptr<const void> owner, const std::string& name);

  const std::string& name() const { return name_; }  // "train"
  long size() const { return starts_.empty() ? 0 : starts_.back(); }
  const std::vector<ByteDocument>& documents() const { return documents_; }

  // B windows of T inputs at places drawn uniformly. The place of a window depends on the seed, the step and the number
  // of the sample (first_sample + row) only: micro-batches draw what one batch draws, and a resumed run needs no state.
  // A window may cover several documents: `segments` tells them apart, and no target crosses a border. Throws if the
  // split has fewer than T + 1 bytes.
  ByteBatch batch(uint32_t seed, uint32_t step, uint32_t first_sample, long B, long T) const;

  // Streams: the split is cut into `streams` parts of equal length, and row r reads part r from its start to its end, T
  // inputs at a time; the segments 0, 1, 2, ... of a row follow each other without a gap. Behind the last one all rows
  // begin again at once, a little further on or back (a draw by the seed), so that what is left out and where segments
  // end is not always the same. Documents follow each other as in one long text: there are no `segments`, but no target
  // crosses a border. Throws if the split has fewer than streams * T + 1 bytes.
  ByteBatch stream(const ByteStream& at) const;
  long segments(long streams, long T) const;  // of every row, before it begins again

  // Row by row the inputs from starts[row] on, and the targets from number `skip[row]` of the row on. What lies behind
  // the end is 0 and does not count.
  ByteBatch windows_at(const std::vector<long>& starts, const std::vector<long>& skip, long T) const;

  ByteSplit first(long bytes) const;  // a shorter one, for a quick look; all of it if it has no more
  double entropy() const;             // of order 0, bits per byte: what a model reaches that knows only frequencies

 private:
  long document_at(long place) const;

  std::string name_;
  std::vector<ByteDocument> documents_;  // none is empty
  std::vector<long> starts_;             // of each document, and the size behind the last
  std::shared_ptr<const void> owner_;    // keeps the bytes
};

// All of a split in order, B windows of T inputs at a time, for the evaluation. Windows start `stride` apart, and each
// counts only what the ones before did not: its last `stride` targets, the first window all. stride = T: disjoint
// windows. A smaller one takes T / stride times as long, and shows every byte at least T - stride bytes of the past.
// Every byte but the first of each document is counted exactly once.
class ByteWindows {
 public:
  ByteWindows(const ByteSplit& split, long B, long T, long stride);

  bool next(ByteBatch& batch);               // false behind the last; the last batch may have fewer rows
  long windows() const { return windows_; }  // in all
  long done() const { return done_; }

 private:
  ByteSplit split_;
  long B_, T_, stride_, windows_, done_ = 0;
};

class ByteData {
 public:
  // A file: 90% train, 5% valid, 5% test by position (enwik8 and text8: 90M, 5M, 5M).
  // A folder: every regular file below it is a document, sorted by name; hidden and binary ones (a zero byte in the
  // first 8 KB) are left out and counted. Splits end between documents where that is near enough.
  // A WAV file (NAME.wav): its samples as bytes, see data/wav.h.
  // Several: the documents of all of them. Throws if there is nothing to learn, and says why.
  static ByteData open(const std::string& path);
  static ByteData open(const std::vector<std::string>& paths);

  ByteSplit train, valid, test;  // never empty
  ByteSplit all;                 // the three as one, no document cut: to measure a model on a text it has not learned
  long size = 0;                 // bytes in all
  long binary = 0, hidden = 0;   // files left out
  long sample_rate = 0;          // of a WAV file; otherwise 0

  // Throws unless train has a window of T inputs, and valid and test a byte to predict: says how many bytes are needed.
  void check_context(long T) const;
  std::string fingerprint() const;  // "1200 bytes, crc32 1c2b3a4d": another one (nearly always) if a byte has changed
  std::string summary() const;  // "3 documents, 1200 bytes: train 1080, valid 60, test 60 bytes; left out: 2 binary"
};

}  // namespace heed
