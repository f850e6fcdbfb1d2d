#include "tests/fuzz/mutator.h"

#include <algorithm>

#include "tensor/random.h"

std::string Mutator::mutated(std::string bytes) {
  for (uint32_t edits = 1 + below(6); edits > 0 && !bytes.empty(); edits--) edit(bytes);
  return bytes;
}

uint32_t Mutator::below(size_t n) {
  return uint32_t(uint64_t(heed::philox({0, number_, draws_++, 0}, 1)[0]) * std::max<size_t>(n, 1) >> 32);
}

void Mutator::edit(std::string& bytes) {
  const size_t at = below(bytes.size()), length = 1 + below(std::min<size_t>(bytes.size() - at, 8));
  switch (below(6)) {
    case 0: bytes[at] = char(below(256)); break;
    case 1: bytes[at] = char(bytes[at] ^ (1 << below(8))); break;
    case 2: bytes.replace(at, length, std::string(length, char(0xff))); break;
    case 3: bytes.replace(at, length, std::string(length, '\0')); break;
    case 4: bytes.resize(at); break;
    default: bytes.insert(at, bytes.substr(below(bytes.size()), length)); break;
  }
}
