// LabelledText: texts, each with a label, to learn to classify. Read from a table (delimited.h), or generated
// (listops.h).
//
//   const LabelledText data = LabelledText::open("reviews.csv");
//   data.train[0].text, data.labels[size_t(data.train[0].label)]
//
// A table has two columns, label and text; or a first line that names its columns, among them `label` and `text`.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct LabelledExample {
  std::string text;  // bytes, at least one
  long label = 0;    // its number in LabelledText::labels
};
using LabelledExamples = std::vector<LabelledExample>;

// A row as it was read, before labels have numbers.
struct LabelledRow {
  std::string label, text;
  long line = 0;  // of the file
};

struct LabelledText {
  std::vector<std::string> labels;  // sorted by name
  LabelledExamples train, valid, test;
  std::vector<std::string> notes;  // what the user should know: sentences
  std::string fingerprint;         // "1200 texts, crc32 1c2b3a4d": another one (nearly always) if a byte has changed

  // Throws with file and line for rows of another number of fields than the first, and for texts that are empty.
  static LabelledText open(const std::string& path);
  // 90% train, 5% valid and 5% test, at least one each, by a hash of the row's number: the order of the rows, which may
  // be by label, does not matter, and the same file is split in the same way everywhere. `labels`: those of a model
  // that is to be tested on it; none: whatever the rows have, at least two. Throws for a label that is none of them.
  static LabelledText of(const std::vector<LabelledRow>& rows, const std::string& from,
                         const std::vector<std::string>& labels = {});

  LabelledExamples all() const;  // the three, one behind the other
  std::string summary() const;   // "1200 texts of 3 labels: train 1080, valid 60, test 60"
};

std::vector<LabelledRow> read_labelled_rows(const std::string& path);

// The label that most of the examples have, of so many; the first one of equals.
long majority_label(const LabelledExamples& examples, long labels);
double share_of_label(const LabelledExamples& examples, long label);  // of none: 0

}  // namespace heed
