#include "train/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "system/file_bytes.h"
#include "system/mapped_files.h"
#include "system/nearest.h"
#include "system/parallel.h"
#include "system/write_file.h"
#include "tensor/copy.h"
#include "train/safetensors_checksum.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they are in memory");

constexpr const char* kOp = "safetensors";

std::string_view bytes_of(const Tensor& plain) {  // row-major, on the cpu
  return visit(plain.dtype(), [&](auto zero) {
    const auto* data = plain.data<decltype(zero)>();
    return std::string_view(reinterpret_cast<const char*>(data), size_t(plain.numel() * size_of(plain.dtype())));
  });
}

Tensor plain(const Tensor& x) { return contiguous(to(x, cpu)); }

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

Tensor tensor_from(const std::string& path, const SafetensorsHeader::Entry& entry, std::string_view bytes) {
  const bool truths =
      entry.dtype != boolean || std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0 || c == 1; });
  HEED_CHECK(truths, kOp, path, " is damaged: '", entry.name, "' is boolean and has a byte that is neither 0 nor 1");
  const Tensor x = Tensor::empty(entry.shape, entry.dtype);
  visit(entry.dtype, [&](auto zero) {
    auto* data = reinterpret_cast<char*>(x.mutable_data<decltype(zero)>());
    parallel_for(long(bytes.size()), 1 << 20,
                 [&](long begin, long end) { std::memcpy(data + begin, bytes.data() + begin, size_t(end - begin)); });
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
  std::vector<uint32_t> checksums;
  for (const NamedTensor& tensor : order) checksums.push_back(checksum(bytes_of(plain(tensor.value))));
  add_checksums(header, checksums);
  std::string text = safetensors_header_text(header);
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
  check_checksums(header, file.bytes(), wanted, path);
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
