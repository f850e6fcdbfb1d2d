#include "train/safetensors.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "system/ceil_div.h"
#include "system/file_bytes.h"
#include "system/json.h"
#include "system/mapped_files.h"
#include "system/nearest.h"
#include "system/parallel.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/copy.h"

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

// The pieces' checksums, several at a time, and then one of them all: what a single pass gives.
uint32_t add_checksum(uint32_t sum, std::string_view bytes) {
  constexpr long kPiece = 1 << 20;
  const long n = long(bytes.size());
  std::vector<uLong> sums(size_t(ceil_div(n, kPiece)));
  parallel_for(n, kPiece, [&](long begin, long end) {
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data()) + begin;
    sums[size_t(begin / kPiece)] = crc32_z(0, data, size_t(end - begin));
  });
  uLong all = sum;
  for (long i = 0; i < long(sums.size()); i++)
    all = crc32_combine(all, sums[size_t(i)], std::min(kPiece, n - i * kPiece));
  return uint32_t(all);
}

std::string checksum_text(uint32_t sum) { return format("%08x", sum); }

// In the order of the file: wide types first.
std::vector<NamedTensor> file_order(const std::string& path, const Safetensors& file) {
  std::set<std::string> names = {"__metadata__"};
  for (const NamedTensor& tensor : file.tensors) {
    HEED_CHECK(tensor.value.defined(), kOp, "the tensor '", tensor.name, "' for ", path, " is undefined");
    HEED_CHECK(names.insert(tensor.name).second, kOp, "the name '", tensor.name, "' for ", path,
               " is taken; every tensor needs a name of its own, and __metadata__ is the format's");
  }
  std::vector<NamedTensor> order = file.tensors;
  std::stable_sort(order.begin(), order.end(), [](const NamedTensor& a, const NamedTensor& b) {
    return size_of(a.value.dtype()) > size_of(b.value.dtype());
  });
  return order;
}

// Places count from where the elements begin.
SafetensorsHeader header_of(const Safetensors& file, const std::vector<NamedTensor>& order) {
  SafetensorsHeader header{.metadata = file.metadata};
  long begin = 0;
  for (const auto& [name, x] : order) {
    const long end = begin + x.numel() * size_of(x.dtype());
    header.tensors.push_back({name, x.dtype(), x.shape(), begin, end});
    begin = end;
  }
  return header;
}

std::string header_text(const SafetensorsHeader& header) {
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

// The checksum is over the header without it, and over the elements behind that.
uint32_t checksum_of(SafetensorsHeader header) {
  header.metadata.erase(kChecksum);
  return add_checksum(0, header_text(header));
}

void check_checksum(const SafetensorsHeader& header, std::string_view file, const std::string& path) {
  const auto said = header.metadata.find(kChecksum);
  if (said == header.metadata.end()) return;
  const size_t start = header.tensors.empty() ? file.size() : size_t(header.tensors[0].begin);
  const std::string sum = checksum_text(add_checksum(checksum_of(header), file.substr(start)));
  HEED_CHECK(sum == said->second, kOp, path, " is damaged: its checksum is ", sum, ", and its header says ",
             said->second, ". (A program that changes tensors or metadata must drop crc32 from the metadata)");
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
  const std::vector<NamedTensor> order = file_order(path, file);
  SafetensorsHeader header = header_of(file, order);
  uint32_t checksum = checksum_of(header);
  for (const NamedTensor& tensor : order) checksum = add_checksum(checksum, bytes_of(plain(tensor.value)));
  header.metadata[kChecksum] = checksum_text(checksum);
  std::string text = header_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the elements begin at a multiple of 8
  const uint64_t length = text.size();
  FileWriter writer(path);
  writer.write({reinterpret_cast<const char*>(&length), 8});
  writer.write(text);
  for (const NamedTensor& tensor : order) writer.write(bytes_of(plain(tensor.value)));
  writer.finish();
}

Safetensors read_safetensors(const std::string& path) {
  return read_safetensors(path, [](const std::string&) { return true; });
}

Safetensors read_safetensors(const std::string& path, FunctionRef<bool(const std::string&)> wanted) {
  const FileBytes file(kOp, path);
  SafetensorsHeader header = parse_safetensors_header(file.bytes(), path);
  check_checksum(header, file.bytes(), path);
  Safetensors out{.metadata = std::move(header.metadata)};
  for (const auto& entry : header.tensors) {
    if (!wanted(entry.name)) continue;
    const auto bytes = file.bytes().substr(size_t(entry.begin), size_t(entry.end - entry.begin));
    out.tensors.push_back({entry.name, tensor_from(path, entry, bytes)});
  }
  check_files();
  return out;
}

SafetensorsHeader read_safetensors_header(const std::string& path) {
  return parse_safetensors_header(FileBytes(kOp, path).bytes(), path);
}

}  // namespace heed
