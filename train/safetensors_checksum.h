// The checksums of a safetensors file: "crc32" in its metadata is that of all the rest, and "crc32_parts" has one for
// the elements of every tensor, in the file's order. The parts add up to the whole, so that whoever reads some tensors
// of a large file (the weights, and not the optimiser) looks at the bytes of these alone, and still believes nothing
// that was not checked.
#pragma once

#include "train/safetensors.h"

namespace heed {

uint32_t checksum(std::string_view bytes);  // CRC-32, several pieces at a time

// Adds both to the metadata. parts: of the elements of each tensor, in their order.
void add_checksums(SafetensorsHeader& header, const std::vector<uint32_t>& parts);

// Throws if the header is not what was written, or the elements of a tensor that is wanted. A file of another program,
// without "crc32", is not checked; one without the parts is checked as a whole.
void check_checksums(const SafetensorsHeader& header, std::string_view file,
                     FunctionRef<bool(const std::string&)> wanted, const std::string& path);

}  // namespace heed
