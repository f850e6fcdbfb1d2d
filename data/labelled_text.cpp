#include "data/labelled_text.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "data/delimited.h"
#include "data/hashed_order.h"
#include "system/error.h"
#include "system/text.h"

namespace heed {
namespace {

constexpr const char* kOp = "labelled_text";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

struct Columns {
  size_t label = 0, text = 1;
  bool named = false;  // by a first line
};

Columns columns_of(const std::vector<std::string>& first, const std::string& path) {
  const auto place = [&](const char* name) {
    return size_t(std::find_if(first.begin(), first.end(), [&](const auto& field) { return lower(field) == name; }) -
                  first.begin());
  };
  const size_t label = place("label"), text = place("text");
  if (label < first.size() && text < first.size()) return {label, text, true};
  HEED_CHECK(first.size() == 2, kOp, path, ":1: there are ", first.size(),
             " fields; give two, label and text, or a first line with names of columns, among them label and text. "
             "NAME.csv has commas between them, any other file tabs");
  return {};
}

std::vector<std::string> labels_in(const std::vector<LabelledRow>& rows, const std::string& from) {
  std::set<std::string> names;
  for (const LabelledRow& row : rows) names.insert(row.label);
  HEED_CHECK(names.size() >= 2, kOp, from, ": every text has the label '", names.empty() ? "" : *names.begin(),
             "'; there is nothing to tell apart");
  return {names.begin(), names.end()};
}

long number_of(const LabelledRow& row, const std::vector<std::string>& labels, const std::string& from) {
  const auto found = std::find(labels.begin(), labels.end(), row.label);
  HEED_CHECK(found != labels.end(), kOp, from, ":", row.line, ": the label '", row.label,
             "' is none of those that were learned: ", joined(labels, ", "));
  return found - labels.begin();
}

void note_unseen(LabelledText& data) {
  std::vector<bool> seen(data.labels.size());
  for (const LabelledExample& example : data.train) seen[size_t(example.label)] = true;
  for (size_t i = 0; i < seen.size(); i++)
    if (!seen[i])
      data.notes.push_back("the label '" + data.labels[i] +
                           "' is in no text for training, only in validation or test: it cannot be learned");
}

std::string fingerprint_of(const std::vector<LabelledRow>& rows) {
  uLong sum = crc32_z(0, nullptr, 0);
  for (const LabelledRow& row : rows)
    for (const std::string* part : {&row.label, &row.text})  // each with the zero behind it
      sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part->c_str()), part->size() + 1);
  return std::to_string(rows.size()) + format(" texts, crc32 %08lx", sum);
}

}  // namespace

std::vector<LabelledRow> read_labelled_rows(const std::string& path) {
  const std::vector<DelimitedRow> table = read_delimited(kOp, path);
  HEED_CHECK(!table.empty(), kOp, path, " is empty; there is nothing to learn");
  const std::vector<std::string>& first = table.front().fields;
  const Columns columns = columns_of(first, path);
  std::vector<LabelledRow> rows;
  for (size_t i = columns.named; i < table.size(); i++) {
    const auto& [fields, line] = table[i];
    HEED_CHECK(fields.size() == first.size(), kOp, path, ":", line, ": there are ", fields.size(),
               " fields; the first line has ", first.size());
    HEED_CHECK(!fields[columns.text].empty(), kOp, path, ":", line, ": the text is empty");
    HEED_CHECK(!fields[columns.label].empty(), kOp, path, ":", line, ": the label is empty");
    rows.push_back({fields[columns.label], fields[columns.text], line});
  }
  return rows;
}

LabelledText LabelledText::open(const std::string& path) { return of(read_labelled_rows(path), path); }

LabelledText LabelledText::of(const std::vector<LabelledRow>& rows, const std::string& from,
                              const std::vector<std::string>& labels) {
  HEED_CHECK(rows.size() >= 3, kOp, from, " has ", rows.size(), " texts; train, valid and test need at least one each");
  LabelledText data;
  data.labels = labels.empty() ? labels_in(rows, from) : labels;
  data.fingerprint = fingerprint_of(rows);
  const size_t held_out = std::max(rows.size() / 20, size_t(1));
  size_t number = 0;
  for (const size_t row : hashed_order(kOp, rows.size())) {
    LabelledExamples& part = number < held_out ? data.valid : number < 2 * held_out ? data.test : data.train;
    part.push_back({rows[row].text, number_of(rows[row], data.labels, from)});
    number++;
  }
  if (labels.empty()) note_unseen(data);
  return data;
}

LabelledExamples LabelledText::all() const {
  LabelledExamples examples = train;
  for (const LabelledExamples* part : {&valid, &test}) examples.insert(examples.end(), part->begin(), part->end());
  return examples;
}

std::string LabelledText::summary() const {
  return std::to_string(train.size() + valid.size() + test.size()) + " texts of " + std::to_string(labels.size()) +
         " labels: train " + std::to_string(train.size()) + ", valid " + std::to_string(valid.size()) + ", test " +
         std::to_string(test.size());
}

long majority_label(const LabelledExamples& examples, long labels) {
  std::vector<long> counts(size_t(std::max(labels, 1L)));
  for (const LabelledExample& example : examples) counts[size_t(example.label)]++;
  return std::max_element(counts.begin(), counts.end()) - counts.begin();
}

double share_of_label(const LabelledExamples& examples, long label) {
  const auto count = std::count_if(examples.begin(), examples.end(), [&](const auto& e) { return e.label == label; });
  return examples.empty() ? 0 : double(count) / double(examples.size());
}

}  // namespace heed
