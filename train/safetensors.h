// Safetensors: named tensors and a few texts in one file, which Python reads in one line:
//
//   write_safetensors("a.safetensors", {.metadata = {{"step", "120"}}, .tensors = {{"out.weight", weight}}});
//   read_safetensors("a.safetensors").at("out.weight")
//   safetensors.numpy.load_file("a.safetensors")["out.weight"]    # Python
//
// The file: 8 bytes N (little endian), N bytes of JSON (dtype, shape and place of every tensor), then the elements.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "system/function_ref.h"
#include "tensor/tensor.h"

namespace heed {

struct NamedTensor {
  std::string name;
  Tensor value;
};

struct Safetensors {
  std::map<std::string, std::string> metadata = {};
  std::vector<NamedTensor> tensors = {};

  const Tensor* find(const std::string& name) const;  // null if there is none
  const Tensor& at(const std::string& name) const;    // throws, and names the nearest
};

// Whole or not at all, and on the disk when it returns (system/write_file.h). All element types, any strides and any
// device; the elements go out tensor by tensor. In the file wide types come first, so that all are aligned; within a
// type the order is kept. Adds "crc32" to the metadata: a checksum of all the rest, eight hexadecimal digits, and
// "crc32_parts": one for each tensor (train/safetensors_checksum.h).
void write_safetensors(const std::string& path, const Safetensors& file);

// Reads what anybody wrote. Everything is checked before memory is taken for it: sizes against the file, the JSON,
// types, shapes, places without gaps and overlaps, and the checksum if there is one. A file that is cut off, damaged
// or of another kind is an Error whose text names the file and what is wrong. Tensors come in the file's order.
Safetensors read_safetensors(const std::string& path);
// Only the tensors whose name is wanted. The checks are the same, but the elements of the others are not looked at.
Safetensors read_safetensors(const std::string& path, FunctionRef<bool(const std::string&)> wanted);

// What is in a file, without its elements: cheap, also for a large one.
struct SafetensorsHeader {
  struct Entry {
    std::string name;
    DType dtype;
    Shape shape;
    long begin, end;  // of its bytes in the file
  };
  std::map<std::string, std::string> metadata = {};
  std::vector<Entry> tensors = {};  // in the file's order
  long file_bytes = 0;
};
SafetensorsHeader read_safetensors_header(const std::string& path);
SafetensorsHeader parse_safetensors_header(std::string_view file, const std::string& path);  // of bytes in memory
std::string safetensors_header_text(const SafetensorsHeader& header);                        // the JSON of the file

const char* safetensors_type(DType dtype);  // its name in the file: "F32", "BF16", "BOOL"

}  // namespace heed
