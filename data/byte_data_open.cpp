// ByteData::open: which files are documents, and where the splits end.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "data/byte_data.h"
#include "data/wav.h"
#include "system/error.h"
#include "system/file_bytes.h"
#include "system/text.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOp = "byte_data";
constexpr size_t kSniffed = 8192;  // bytes at the start of a file that tell whether it is text

// What keeps the bytes of all documents.
struct Library {
  std::vector<std::unique_ptr<FileBytes>> files;
  std::vector<std::unique_ptr<std::string>> sounds;
};

struct Collected {
  std::shared_ptr<Library> library = std::make_shared<Library>();
  std::vector<ByteDocument> documents;
  long binary = 0, hidden = 0, sample_rate = 0;
};

void add(Collected& all, const std::string& name, std::string_view bytes) {
  if (!bytes.empty())
    all.documents.push_back({name, reinterpret_cast<const uint8_t*>(bytes.data()), long(bytes.size())});
}

void add_wav(Collected& all, const std::string& path, std::string_view file) {
  Wav wav = parse_wav(file, path);
  HEED_CHECK(all.sample_rate == 0 || all.sample_rate == wav.sample_rate, kOp, path, " has ", wav.sample_rate,
             " samples per second and the file before it ", all.sample_rate, "; they must be equal");
  all.sample_rate = wav.sample_rate;
  all.library->sounds.push_back(std::make_unique<std::string>(std::move(wav.samples)));
  add(all, path, *all.library->sounds.back());
}

void add_file(Collected& all, const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  auto file = std::make_unique<FileBytes>(kOp, path);
  HEED_CHECK(file->size() > 0, kOp, path, " is empty; there is nothing to learn");
  if (ending == ".wav") return add_wav(all, path, file->bytes());
  add(all, path, file->bytes());
  all.library->files.push_back(std::move(file));
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// The files below a folder, sorted. Links are left out: what they lead to may be here already, or not end.
std::vector<fs::path> files_below(Collected& all, const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code reason;
  fs::recursive_directory_iterator it(folder, reason);
  while (!reason && it != fs::recursive_directory_iterator()) {
    const bool hidden = is_hidden(it->path());
    if (hidden) it.disable_recursion_pending();
    all.hidden += hidden;
    if (!hidden && it->symlink_status(reason).type() == fs::file_type::regular) files.push_back(it->path());
    if (!reason) it.increment(reason);
  }
  HEED_CHECK(!reason, kOp, "cannot read the folder ", folder, ": ", reason.message());
  std::sort(files.begin(), files.end());
  return files;
}

void add_folder(Collected& all, const std::string& folder) {
  const size_t before = all.documents.size();
  const std::vector<fs::path> files = files_below(all, folder);
  for (const fs::path& path : files) {
    auto file = std::make_unique<FileBytes>(kOp, path.string());
    if (file->bytes().substr(0, kSniffed).find('\0') != std::string_view::npos) {
      all.binary++;
      continue;
    }
    add(all, path.lexically_relative(folder).string(), file->bytes());
    all.library->files.push_back(std::move(file));
  }
  HEED_CHECK(all.documents.size() > before, kOp, "there is no text in the folder ", folder, ": of ", files.size(),
             " files ", all.binary, " are binary and the others are empty (", all.hidden, " hidden ones do not count)");
}

// A cut goes to the nearest border of documents if that is less than half of a small split away.
long near_border(const std::vector<ByteDocument>& documents, long cut, long reach) {
  long best = cut, distance = reach, border = 0;
  for (const ByteDocument& document : documents) {
    border += document.size;
    if (std::abs(border - cut) < distance) best = border, distance = std::abs(border - cut);
  }
  return best;
}

// The parts of the documents between two places.
std::vector<ByteDocument> part(const std::vector<ByteDocument>& documents, long begin, long end) {
  std::vector<ByteDocument> out;
  long start = 0;
  for (const ByteDocument& document : documents) {
    const long from = std::max(begin - start, 0L), to = std::min(end - start, document.size);
    if (from < to) out.push_back({document.name, document.bytes + from, to - from});
    start += document.size;
  }
  return out;
}

ByteData split(const Collected& all, const std::string& where) {
  ByteData data;
  for (const ByteDocument& document : all.documents) data.size += document.size;
  HEED_CHECK(data.size >= 3, kOp, where, " has ", data.size, " bytes; train, valid and test need at least one each");
  const long n = data.size, reach = n / 40;
  const long train = std::min(near_border(all.documents, n / 10 * 9 + n % 10 * 9 / 10, reach), n - 2);
  const long valid = std::clamp(near_border(all.documents, n - n / 20, reach), train + 1, n - 1);
  data.train = ByteSplit(part(all.documents, 0, train), all.library, "train");
  data.valid = ByteSplit(part(all.documents, train, valid), all.library, "valid");
  data.test = ByteSplit(part(all.documents, valid, n), all.library, "test");
  data.all = ByteSplit(all.documents, all.library, "all");
  data.binary = all.binary, data.hidden = all.hidden, data.sample_rate = all.sample_rate;
  return data;
}

}  // namespace

ByteData ByteData::open(const std::string& path) { return open(std::vector<std::string>{path}); }

ByteData ByteData::open(const std::vector<std::string>& paths) {
  HEED_CHECK(!paths.empty(), kOp, "no data was given; name a file or a folder");
  Collected all;
  for (const std::string& path : paths) {
    std::error_code none;
    fs::is_directory(path, none) ? add_folder(all, path) : add_file(all, path);
  }
  return split(all, joined(paths, ", "));
}

void ByteData::check_context(long T) const {
  const long needed = std::max((T + 1) * 10 / 9 + 2, 40L);
  HEED_CHECK(train.size() > T && valid.size() > 1 && test.size() > 1, kOp, "the data has ", size, " bytes (train ",
             train.size(), ", valid ", valid.size(), ", test ", test.size(), "); a context of ", T, " needs ", T + 1,
             " in train and 2 in the others, about ", needed, " in all. Give more data or a shorter context");
}

std::string ByteData::fingerprint() const {
  uLong sum = crc32_z(0, nullptr, 0);
  for (const ByteSplit* split : {&train, &valid, &test})
    for (const ByteDocument& document : split->documents()) sum = crc32_z(sum, document.bytes, size_t(document.size));
  return std::to_string(size) + format(" bytes, crc32 %08lx", sum);
}

std::string ByteData::summary() const {
  const auto bytes = [](const ByteSplit& split) { return split.name() + " " + std::to_string(split.size()); };
  // A document that a border cuts is in two parts.
  long documents = 0;
  const ByteDocument* last = nullptr;
  for (const ByteSplit* split : {&train, &valid, &test})
    for (const ByteDocument& document : split->documents()) {
      documents += !last || last->bytes + last->size != document.bytes || last->name != document.name;
      last = &document;
    }
  std::string text = std::to_string(documents) + (documents == 1 ? " document, " : " documents, ") +
                     std::to_string(size) + " bytes: " + bytes(train) + ", " + bytes(valid) + ", " + bytes(test);
  if (binary + hidden > 0)
    text += "; left out: " + std::to_string(binary) + " binary, " + std::to_string(hidden) + " hidden";
  return text;
}

}  // namespace heed
