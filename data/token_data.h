// Token data: a text as tokens of a vocabulary, and the batches of it that a model learns and is judged by.
//
//   const TokenSplit train(data.train, vocabulary);
//   const TokenBatch batch = train.batch(seed, step, 0, 16, 256);       // 16 windows of 256 tokens
//   cross_entropy(model.forward(batch.inputs, ctx), batch.targets, {.ignore = kNoTarget});
//
//   TokenWindows windows(valid, 16, 256, 256);                          // all of it, for the validation
//   for (TokenBatch batch; windows.next(batch);) ...
#pragma once

#include "data/byte_data.h"
#include "data/vocabulary.h"
#include "tensor/ops/cross_entropy.h"

namespace heed {

struct TokenBatch {
  Tensor inputs;     // (B, T) i64, ids of the vocabulary
  Tensor targets;    // (B, T) i64: the token behind each input; kNoTarget where it does not count
  Tensor segments;   // (B, T) i64 for segment_mask: the document of each input; undefined if every row has only one
  long counted = 0;  // targets that count
  long bytes = 0;    // that these stand for
};

// A place in streams of text, see TokenSplit::stream.
struct StreamPlace {
  uint32_t seed = 0, restart = 0;  // streams that begin anew for another reason than their end: another draw
  long streams = 1;                // in all
  long first = 0, rows = 1;        // those that are wanted
  long T = 1, segment = 0;
};

// A part of the data as tokens, document by document.
class TokenSplit {
 public:
  // Bytes are tokens as they lie there, in the file; for other vocabularies each document is encoded, once.
  TokenSplit(const ByteSplit& text, std::shared_ptr<const Vocabulary> vocabulary = byte_vocabulary());

  const ByteSplit& text() const { return text_; }
  const std::string& name() const { return text_.name(); }
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  long size() const { return starts_.back(); }  // tokens
  double bytes_per_token() const;               // on average; 1 if it is empty

  // B windows of T inputs at places drawn uniformly. The place of a window depends on the seed, the step and the number
  // of the sample (first_sample + row) only: micro-batches draw what one batch draws, and a resumed run needs no state.
  // A window may cover several documents: `segments` tells them apart, and no target crosses a border. Throws if the
  // split has fewer than T + 1 tokens.
  TokenBatch batch(uint32_t seed, uint32_t step, uint32_t first_sample, long B, long T) const;
  void check_window(long T) const;  // throws the same

  // Streams: the split is cut into `streams` parts of equal length, and row r reads part r from its start to its end, T
  // inputs at a time; the segments 0, 1, 2, ... of a row follow each other without a gap. Behind the last one all rows
  // begin again at once, a little further on or back (a draw by the seed), so that what is left out and where segments
  // end is not always the same. Documents follow each other as in one long text: there are no `segments`, but no target
  // crosses a border. Throws if the split has fewer than streams * T + 1 tokens.
  TokenBatch stream(const StreamPlace& at) const;
  long segments(long streams, long T) const;  // of every row, before it begins again

  // Row by row the inputs from starts[row] on, and the targets from number `skip[row]` of the row on. What lies behind
  // the end is 0 and does not count.
  TokenBatch windows_at(const std::vector<long>& starts, const std::vector<long>& skip, long T) const;

 private:
  long document_at(long place) const;
  void take_bytes();
  template <class E> void encode();
  template <class E> void fill(TokenBatch& batch, const std::vector<long>& starts, const std::vector<long>& skip) const;

  ByteSplit text_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  int id_bytes_ = 1;                     // an id is 1, 2 or 4 bytes
  std::vector<const void*> documents_;   // the ids of each; none is empty
  std::vector<long> starts_ = {0};       // of each document, and the size behind the last
  std::shared_ptr<const void> encoded_;  // keeps the ids, if they are not the text's own bytes
};

// All of a split in order, B windows of T inputs at a time, for the evaluation. Windows start `stride` apart, and each
// counts only what the ones before did not: its last `stride` targets, the first window all. stride = T: disjoint
// windows. A smaller one takes T / stride times as long, and shows every token at least T - stride tokens of the past.
// Every token but the first of each document is counted exactly once.
class TokenWindows {
 public:
  TokenWindows(const TokenSplit& split, long B, long T, long stride);

  bool next(TokenBatch& batch);              // false behind the last; the last batch may have fewer rows
  long windows() const { return windows_; }  // in all
  long done() const { return done_; }

 private:
  TokenSplit split_;
  long B_, T_, stride_, windows_, done_ = 0;
};

}  // namespace heed
