// Splits of a text. What is in a file or folder is read in byte_data_open.cpp.
#include "data/byte_data.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heed {

ByteSplit::ByteSplit(std::vector<ByteDocument> documents, std::shared_ptr<const void> owner, const std::string& name)
    : name_(name), documents_(std::move(documents)), owner_(std::move(owner)) {
  for (const ByteDocument& document : documents_) size_ += document.size;
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

}  // namespace heed
