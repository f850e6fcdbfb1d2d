// The header of a safetensors file: writing it, and reading it. Nothing in it is believed before it is checked.
#include <algorithm>
#include <climits>
#include <cstring>

#include "system/error.h"
#include "system/json.h"
#include "train/safetensors.h"

namespace heed {
namespace {

using Entry = SafetensorsHeader::Entry;

constexpr const char* kOp = "safetensors";
constexpr uint64_t kMaxHeader = 100'000'000;  // bytes; a rule of the format

template <class... Parts> [[noreturn]] void fail_damaged(const std::string& path, const Parts&... parts) {
  fail(kOp, path, " is damaged: ", parts...);
}

// The JSON text. What is not of this kind at all has no { behind the length.
std::string_view text_in(const std::string& path, std::string_view file) {
  HEED_CHECK(!file.empty(), kOp, path, " is empty");
  const bool brace = file.size() > 8 && file[8] == '{';
  HEED_CHECK(brace || file.size() <= 8, kOp, path, " is not a safetensors file: its header does not begin with {");
  HEED_CHECK(brace, kOp, path, " is cut off, or not a safetensors file: it has only ", file.size(), " bytes");
  uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  HEED_CHECK(length <= kMaxHeader, kOp, path, " is damaged, or not a safetensors file: its header would have ", length,
             " bytes; at most ", kMaxHeader, " are allowed");
  HEED_CHECK(length <= file.size() - 8, kOp, path, " is cut off: its header has ", length, " bytes, and the file ends ",
             length - (file.size() - 8), " bytes before its end");
  return file.substr(8, length);
}

const Json& member(const std::string& path, const std::string& tensor, const Json& entry, const char* name) {
  const Json* found = entry.find(name);
  if (!found) fail_damaged(path, "its header tells no ", name, " of '", tensor, "'");
  return *found;
}

// A list of whole numbers that are not negative.
std::vector<long> numbers(const std::string& path, const std::string& tensor, const Json& entry, const char* name) {
  const Json& list = member(path, tensor, entry, name);
  std::vector<long> out;
  bool good = list.is_array();
  if (good)
    for (const Json& item : list.items()) {
      good = good && item.is_integer() && item.integer() >= 0;
      out.push_back(good ? item.integer() : 0);
    }
  if (!good)
    fail_damaged(path, "the ", name, " of '", tensor, "' is ", list.dump().substr(0, 60),
                 "; it must be a list of whole numbers >= 0");
  return out;
}

DType dtype_from(const std::string& path, const std::string& tensor, const Json& entry) {
  const Json& given = member(path, tensor, entry, "dtype");
  for (const DType dtype : {f64, f32, f16, bf16, i64, i32, u8, boolean})
    if (given.is_text() && given.text() == safetensors_type(dtype)) return dtype;
  fail(kOp, "'", tensor, "' in ", path, " has the dtype ", given.dump().substr(0, 60),
       "; heed reads F64, F32, F16, BF16, I64, I32, U8 and BOOL");
}

Shape shape_from(const std::string& path, const std::string& tensor, const Json& entry) {
  const std::vector<long> sizes = numbers(path, tensor, entry, "shape");
  HEED_CHECK(long(sizes.size()) <= kMaxDims, kOp, "'", tensor, "' in ", path, " has ", sizes.size(),
             " dimensions; heed reads at most ", kMaxDims);
  Shape shape;
  for (long size : sizes) shape.push_back(size);
  return shape;
}

// Are there `bytes` bytes of elements in it? Sizes may be anything, so that their product may not fit a long.
bool holds_bytes(const Shape& shape, DType dtype, long bytes) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return bytes == 0;
  long product = size_of(dtype);
  for (long size : shape)
    if (__builtin_mul_overflow(product, size, &product)) return false;
  return product == bytes;
}

// Places are counted from `data`, where the elements begin.
Entry entry_from(const std::string& path, const std::string& name, const Json& json, long data) {
  if (!json.is_object()) fail_damaged(path, "its header tells nothing of '", name, "'");
  const std::vector<long> place = numbers(path, name, json, "data_offsets");
  if (place.size() != 2 || place[0] > place[1] || place[1] > LONG_MAX - data)
    fail_damaged(path, "the data_offsets of '", name, "' are ", json.at("data_offsets").dump().substr(0, 60),
                 "; they must be [begin, end]");
  Entry entry{name, dtype_from(path, name, json), shape_from(path, name, json), data + place[0], data + place[1]};
  if (!holds_bytes(entry.shape, entry.dtype, place[1] - place[0]))
    fail_damaged(path, "'", name, "' is ", entry.dtype, " of shape ", entry.shape, " and has ", place[1] - place[0],
                 " bytes");
  return entry;
}

std::map<std::string, std::string> metadata_from(const std::string& path, const Json& json) {
  std::map<std::string, std::string> out;
  if (!json.is_object()) fail_damaged(path, "its __metadata__ is not an object");
  for (const auto& [name, value] : json.members()) {
    if (!value.is_text()) fail_damaged(path, "'", name, "' in its __metadata__ is not a text");
    out[name] = value.text();
  }
  return out;
}

// One behind the other, from `data` to the end of the file.
void check_places(const std::string& path, const SafetensorsHeader& header, long data) {
  long end = data;
  for (const Entry& entry : header.tensors) {
    HEED_CHECK(entry.end <= header.file_bytes, kOp, path, " is cut off: '", entry.name, "' ends at byte ", entry.end,
               ", and the file has ", header.file_bytes);
    if (entry.begin != end)
      fail_damaged(path, "'", entry.name, "' begins at byte ", entry.begin, ", and what is before it ends at ", end);
    end = entry.end;
  }
  if (end != header.file_bytes)
    fail_damaged(path, "its last tensor ends at byte ", end, ", and the file has ", header.file_bytes);
}

}  // namespace

std::string safetensors_header_text(const SafetensorsHeader& header) {
  Json::Object metadata, all;
  for (const auto& [name, text] : header.metadata) metadata.emplace_back(name, text);
  if (!metadata.empty()) all.emplace_back("__metadata__", std::move(metadata));
  const long start = header.tensors.empty() ? 0 : header.tensors[0].begin;
  for (const auto& tensor : header.tensors) {
    Json entry, shape = Json::array();
    for (long size : tensor.shape) shape.push_back(size);
    entry["dtype"] = safetensors_type(tensor.dtype);
    entry["shape"] = std::move(shape);
    entry["data_offsets"] = Json::Array{tensor.begin - start, tensor.end - start};
    all.emplace_back(tensor.name, std::move(entry));
  }
  return Json(std::move(all)).dump();
}

SafetensorsHeader parse_safetensors_header(std::string_view file, const std::string& path) {
  const std::string_view text = text_in(path, file);
  const Json json = Json::parse(text, "the header of " + path);
  const long data = 8 + long(text.size());
  SafetensorsHeader header;
  header.file_bytes = long(file.size());
  for (const auto& [name, value] : json.members())
    if (name == "__metadata__")
      header.metadata = metadata_from(path, value);
    else
      header.tensors.push_back(entry_from(path, name, value, data));
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  check_places(path, header, data);
  return header;
}

}  // namespace heed
