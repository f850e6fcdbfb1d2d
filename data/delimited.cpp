#include "data/delimited.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "system/error.h"
#include "system/file_bytes.h"
#include "system/text.h"

namespace heed {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, const char* op, const std::string& from) : text_(text), op_(op), from_(from) {}

  std::vector<DelimitedRow> rows() {
    std::vector<DelimitedRow> all;
    while (at_ < text_.size()) {
      DelimitedRow one = row();
      if (one.fields.size() > 1 || !one.fields[0].empty()) all.push_back(std::move(one));
    }
    return all;
  }

 private:
  bool end() const { return at_ == text_.size(); }
  bool line_end() const {
    return end() || text_[at_] == '\n' || (text_[at_] == '\r' && text_.substr(at_).starts_with("\r\n"));
  }

  DelimitedRow row() {
    DelimitedRow row{.fields = {}, .line = line_};
    for (;;) {
      row.fields.push_back(!end() && text_[at_] == '"' ? quoted() : plain());
      if (line_end()) break;
      HEED_CHECK(text_[at_] == ',', op_, from_, ":", line_,
                 ": there is text behind a closing quote; write a quote "
                 "inside of a quoted field twice");
      at_++;
    }
    at_ = std::min(text_.size(), text_.find('\n', at_) + 1);
    if (at_ == 0) at_ = text_.size();
    line_++;
    return row;
  }

  std::string plain() {
    const size_t begin = at_;
    while (!line_end() && text_[at_] != ',') at_++;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    const long first_line = line_;
    std::string field;
    for (at_++;; at_++) {
      HEED_CHECK(!end(), op_, from_, ":", first_line, ": a quote is opened and never closed");
      const bool quote = text_[at_] == '"';
      if (quote && !text_.substr(at_).starts_with("\"\"")) break;
      at_ += quote;  // the first of two
      line_ += text_[at_] == '\n';
      field += text_[at_];
    }
    at_++;
    return field;
  }

  std::string_view text_;
  const char* op_;
  std::string from_;
  size_t at_ = 0;
  long line_ = 1;
};

}  // namespace

std::vector<DelimitedRow> parse_csv(std::string_view text, const char* op, const std::string& from) {
  return CsvReader(text, op, from).rows();
}

std::vector<DelimitedRow> parse_tsv(std::string_view text) {
  std::vector<DelimitedRow> rows;
  long number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    number++;
    if (!line.empty()) rows.push_back({split(std::string(line), '\t'), number});
  }
  return rows;
}

std::vector<DelimitedRow> read_delimited(const char* op, const std::string& path) {
  const FileBytes file(op, path);
  std::string_view text = file.bytes();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark that some programs write
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending == ".csv" ? parse_csv(text, op, path) : parse_tsv(text);
}

}  // namespace heed
