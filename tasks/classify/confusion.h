// Confusion: how often a text of each label was given which, and the accuracy, the share of texts that were given their
// own.
//
//   Confusion result = confusion_of(model, data.test, data.labels, {.context = 512});
//   result.accuracy();
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/labelled_text.h"
#include "models/classifier.h"
#include "models/objectives/objective.h"
#include "system/json.h"

namespace heed {

struct Confusion {
  std::vector<std::string> labels;
  std::vector<std::vector<long>> counts;  // counts[is][given]

  explicit Confusion(const std::vector<std::string>& labels);
  long texts() const;
  double accuracy() const;  // of none: 0

  using Rows = std::vector<std::vector<std::string>>;
  std::vector<std::string> head() const;  // of a table: "label", the labels, "right"
  Rows rows() const;                      // one per label, with its share of right ones in percent
  std::string text() const;               // the table with columns in line

  Json json() const;
  static Confusion from_json(const Json& json);  // throws for what json() did not write
};

struct ClassifyEvaluation {
  long batch = 32, context = 512;                          // texts at a time; bytes of a text that are read
  double windows = 1;                                      // Context::window_scale
  std::function<void(long done, long all)> progress = {};  // texts
};

Confusion confusion_of(Classifier& model, const LabelledExamples& examples, const std::vector<std::string>& labels,
                       const ClassifyEvaluation& options);

// These texts as one batch, cut to `context` bytes and filled up with zeros: to the longest, rounded up to a multiple
// of 32 if the context has room for it.
Batch batch_of(const std::vector<const LabelledExample*>& examples, long context);

}  // namespace heed
