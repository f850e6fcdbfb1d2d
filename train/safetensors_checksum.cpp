#include "train/safetensors_checksum.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "system/ceil_div.h"
#include "system/error.h"
#include "system/parallel.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr const char *kWhole = "crc32", *kParts = "crc32_parts";

std::string text_of(uint32_t sum) { return format("%08x", sum); }

// The sum of `first`, and of `bytes` bytes with the sum `second` behind it.
uint32_t joined(uint32_t first, uint32_t second, long bytes) { return uint32_t(crc32_combine(first, second, bytes)); }

// Over the header without it, and over the elements behind that.
uint32_t whole_of(SafetensorsHeader header, const std::vector<uint32_t>& parts) {
  header.metadata.erase(kWhole);
  uint32_t sum = checksum(safetensors_header_text(header));
  for (size_t i = 0; i < parts.size(); i++)
    sum = joined(sum, parts[i], header.tensors[i].end - header.tensors[i].begin);
  return sum;
}

std::string_view elements(const SafetensorsHeader::Entry& entry, std::string_view file) {
  return file.substr(size_t(entry.begin), size_t(entry.end - entry.begin));
}

// What the header says of each tensor; nothing, if it does not say so of every one.
std::vector<uint32_t> said_parts(const SafetensorsHeader& header) {
  const auto said = header.metadata.find(kParts);
  if (said == header.metadata.end()) return {};
  std::vector<uint32_t> parts;
  for (const std::string& text : split(said->second, ' '))
    parts.push_back(uint32_t(std::strtoul(text.c_str(), nullptr, 16)));
  return parts.size() == header.tensors.size() ? parts : std::vector<uint32_t>();
}

void check_sum(uint32_t sum, const std::string& said, const std::string& path, const std::string& where) {
  HEED_CHECK(text_of(sum) == said, "safetensors", path, " is damaged: its checksum", where, " is ", text_of(sum),
             ", and its header says ", said,
             ". (A program that changes tensors or metadata must drop crc32 from the metadata)");
}

}  // namespace

// The pieces' sums, and then one of them all: what a single pass gives.
uint32_t checksum(std::string_view bytes) {
  constexpr long kPiece = 1 << 20;
  const long n = long(bytes.size());
  std::vector<uint32_t> sums(size_t(ceil_div(n, kPiece)));
  parallel_for(n, kPiece, [&](long begin, long end) {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data()) + begin;
    sums[size_t(begin / kPiece)] = uint32_t(crc32_z(0, data, size_t(end - begin)));
  });
  uint32_t all = 0;
  for (long i = 0; i < long(sums.size()); i++) all = joined(all, sums[size_t(i)], std::min(kPiece, n - i * kPiece));
  return all;
}

void add_checksums(SafetensorsHeader& header, const std::vector<uint32_t>& parts) {
  std::string text;
  for (const uint32_t sum : parts) text += (text.empty() ? "" : " ") + text_of(sum);
  header.metadata[kParts] = text;
  header.metadata[kWhole] = text_of(whole_of(header, parts));
}

void check_checksums(const SafetensorsHeader& header, std::string_view file,
                     FunctionRef<bool(const std::string&)> wanted, const std::string& path) {
  const auto whole = header.metadata.find(kWhole);
  if (whole == header.metadata.end()) return;
  const std::vector<uint32_t> said = said_parts(header);
  std::vector<uint32_t> parts = said;
  if (said.empty())
    for (const auto& entry : header.tensors) parts.push_back(checksum(elements(entry, file)));
  check_sum(whole_of(header, parts), whole->second, path, "");
  for (size_t i = 0; i < said.size(); i++)
    if (const auto& entry = header.tensors[i]; wanted(entry.name))
      check_sum(checksum(elements(entry, file)), text_of(said[i]), path, " of '" + entry.name + "'");
}

}  // namespace heed
