// Byte data: any file or folder as text to learn. Files are memory-mapped. As tokens, in batches: data/token_data.h.
//
//   const ByteData data = ByteData::open("data/enwik8");
//   const TokenSplit train(data.train);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heed {

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
  long size() const { return size_; }
  const std::vector<ByteDocument>& documents() const { return documents_; }

  ByteSplit first(long bytes) const;  // a shorter one, for a quick look; all of it if it has no more
  double entropy() const;             // of order 0, bits per byte: what a model reaches that knows only frequencies

 private:
  std::string name_;
  std::vector<ByteDocument> documents_;  // none is empty
  long size_ = 0;
  std::shared_ptr<const void> owner_;  // keeps the bytes
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
