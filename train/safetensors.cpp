#include "train/safetensors.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "tensor/copy.h"
#include "tensor/nearest.h"
#include "tensor/text.h"
#include "train/file_bytes.h"
#include "train/json.h"
#include "train/write_file.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they are in memory");

constexpr const char* kOp = "safetensors";
constexpr const char* kChecksum = "crc32";

std::string_view bytes_of(const Tensor& plain) {  // row-major, on the cpu
  return visit(plain.dtype(), [&](auto zero) {
    const auto* data = plain.data<decltype(zero)>();
    return std::string_view(reinterpret_cast<const char*>(data), size_t(plain.numel() * size_of(plain.dtype())));
  });
}

Tensor plain(const Tensor& x) { return contiguous(to(x, cpu)); }

uint32_t add_checksum(uint32_t sum, std::string_view bytes) {
  return uint32_t(crc32_z(sum, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string checksum_text(uint32_t sum) { return format("%08x", sum); }

// In the order of the file: wide types first.
std::vector<const NamedTensor*> file_order(const std::string& path, const Safetensors& file) {
  std::vector<const NamedTensor*> order;
  std::set<std::string> names = {"__metadata__"};
  for (const NamedTensor& tensor : file.tensors) {
    HEED_CHECK(tensor.value.defined(), kOp, "the tensor '", tensor.name, "' for ", path, " is undefined");
    HEED_CHECK(names.insert(tensor.name).second, kOp, "the name '", tensor.name, "' for ", path,
               " is taken; every tensor needs a name of its own, and __metadata__ is the format's");
    order.push_back(&tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    return size_of(a->value.dtype()) > size_of(b->value.dtype());
  });
  return order;
}

Json entry_of(const Tensor& x, long begin) {
  Json shape = Json::array(), entry = Json::object();
  for (long size : x.shape()) shape.push_back(size);
  entry["dtype"] = safetensors_type(x.dtype());
  entry["shape"] = std::move(shape);
  entry["data_offsets"] = Json::Array{begin, begin + x.numel() * size_of(x.dtype())};
  return entry;
}

// The length and the JSON, filled up with blanks so that the elements begin at a multiple of 8.
std::string header_of(const Safetensors& file, const std::vector<const NamedTensor*>& order) {
  uint32_t checksum = 0;
  for (const NamedTensor* tensor : order) checksum = add_checksum(checksum, bytes_of(plain(tensor->value)));
  Json::Object metadata, header;
  for (const auto& [name, text] : file.metadata)
    if (name != kChecksum) metadata.emplace_back(name, text);
  metadata.emplace_back(kChecksum, checksum_text(checksum));
  header.emplace_back("__metadata__", std::move(metadata));
  long begin = 0;
  for (const NamedTensor* tensor : order) {
    header.emplace_back(tensor->name, entry_of(tensor->value, begin));
    begin += tensor->value.numel() * size_of(tensor->value.dtype());
  }
  std::string text = Json(std::move(header)).dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + text;
}

Tensor tensor_from(const std::string& path, const SafetensorsHeader::Entry& entry, std::string_view bytes) {
  const bool truths =
      entry.dtype != boolean || std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
  HEED_CHECK(truths, kOp, path, " is damaged: '", entry.name, "' is boolean and has a byte that is neither 0 nor 1");
  const Tensor x = Tensor::empty(entry.shape, entry.dtype);
  visit(entry.dtype, [&](auto zero) {
    if (!bytes.empty()) std::memcpy(static_cast<void*>(x.mutable_data<decltype(zero)>()), bytes.data(), bytes.size());
  });
  return x;
}

}  // namespace

const char* safetensors_type(DType dtype) {
  switch (dtype) {
    case DType::f32: return "F32";
    case DType::f64: return "F64";
    case DType::i32: return "I32";
    case DType::i64: return "I64";
    case DType::u8: return "U8";
    case DType::boolean: return "BOOL";
    case DType::bf16: return "BF16";
    case DType::f16: break;
  }
  return "F16";
}

const Tensor* Safetensors::find(const std::string& name) const {
  for (const NamedTensor& tensor : tensors)
    if (tensor.name == name) return &tensor.value;
  return nullptr;
}

const Tensor& Safetensors::at(const std::string& name) const {
  if (const Tensor* found = find(name)) return *found;
  std::vector<std::string> known;
  for (const NamedTensor& tensor : tensors) known.push_back(tensor.name);
  const std::string near = nearest_name(name, known);
  fail(kOp, "there is no tensor '", name, "' among ", known.size(),
       near.empty() ? "" : ". Did you mean '" + near + "'?");
}

void write_safetensors(const std::string& path, const Safetensors& file) {
  const std::vector<const NamedTensor*> order = file_order(path, file);
  FileWriter writer(path);
  writer.write(header_of(file, order));
  for (const NamedTensor* tensor : order) writer.write(bytes_of(plain(tensor->value)));
  writer.finish();
}

Safetensors read_safetensors(const std::string& path) {
  const FileBytes file(kOp, path);
  SafetensorsHeader header = parse_safetensors_header(file.bytes(), path);
  if (!header.tensors.empty() && header.metadata.count(kChecksum)) {
    const std::string sum = checksum_text(add_checksum(0, file.bytes().substr(size_t(header.tensors[0].begin))));
    HEED_CHECK(sum == header.metadata[kChecksum], kOp, path, " is damaged: its elements have the checksum ", sum,
               ", and its header says ", header.metadata[kChecksum]);
  }
  Safetensors out{.metadata = std::move(header.metadata)};
  for (const auto& entry : header.tensors) {
    const auto bytes = file.bytes().substr(size_t(entry.begin), size_t(entry.end - entry.begin));
    out.tensors.push_back({entry.name, tensor_from(path, entry, bytes)});
  }
  return out;
}

SafetensorsHeader read_safetensors_header(const std::string& path) {
  return parse_safetensors_header(FileBytes(kOp, path).bytes(), path);
}

}  // namespace heed
