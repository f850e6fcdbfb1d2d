// ClassifyTask: a classifier learns to tell the label of a text from its bytes. It is judged by its accuracy, the share
// of texts that it gives their own label.
//
// Batches have texts of similar lengths, so that little of them is padding: the training texts are sorted by length and
// parted into up to 16 buckets of equal size. The step draws a bucket, and each sample of the batch a text of it; so
// every text is equally likely in the long run. A batch is about as long as its longest text (batch_of).
#pragma once

#include "data/labelled_text.h"
#include "models/objectives/classify.h"
#include "tasks/classify/classify_settings.h"
#include "tasks/classify/confusion.h"
#include "train/task.h"

namespace heed {

class ClassifyTask : public Task {
 public:
  ClassifyTask(const ClassifySettings& settings, const LabelledText& data);  // checks; the data must outlive it

  Classifier& model() { return model_; }
  double majority_accuracy() const;  // on validation, of who always says the label that is most frequent in training
  // What the user should know before training: texts that are cut, the majority's accuracy, ...
  std::vector<std::string> notes() const;

  Objective& objective() override { return objective_; }
  const TrainSettings& training() const override { return settings_; }
  const Score& score() const override { return score_; }
  long context() const override { return settings_.context; }
  std::string unit() const override { return "bytes at most"; }
  Batch draw(const BatchPart& part) override;
  double training_score(double loss, const std::map<std::string, double>& metrics) const override;
  double validate(const Phase& phase) override;
  Json settings() const override { return to_json(settings_); }
  Json known_settings(const Json& given, const std::string& from) const override;
  std::string fingerprint() const override { return data_.fingerprint; }
  std::map<std::string, std::string> strings() const override;
  void write_samples(const RunFolder& folder, long step) override;  // RUN/confusion.json, of the last validation
  void add_to_page(Page& page, const RunFolder& folder) const override;

 private:
  ClassifySettings settings_;
  const LabelledText& data_;
  LabelledExamples valid_;                         // those that are looked at
  std::vector<const LabelledExample*> by_length_;  // of training
  Score score_;
  Confusion last_;  // of the last validation
  Classifier model_;
  Classify objective_{model_};
};

const Score& classify_score();

// Names of labels as one string of a checkpoint, and back.
inline constexpr const char* kLabelStrings = "labels";
std::string labels_text(const std::vector<std::string>& labels);
std::vector<std::string> labels_from_text(const std::string& text, const std::string& from);

// What a user calls data: a table of texts, or listops with options (data/listops.h), by default as long as `context`.
// labels: those of a model that is to be tested; none: those of the data.
LabelledText open_labelled(const std::string& data, long context, const std::vector<std::string>& labels = {});

}  // namespace heed
