// LanguageTask: a language model learns a text, byte by byte. It is judged by bits per byte, and writes a sample with
// every checkpoint.
#pragma once

#include "data/byte_data.h"
#include "models/objectives/next_token.h"
#include "tasks/language/lm_settings.h"
#include "train/task.h"

namespace heed {

class LanguageTask : public Task {
 public:
  LanguageTask(const LmSettings& settings, const ByteData& data);  // checks both; the data must outlive it
  // The same on parts that the caller has. Without validation data it can be trained, and not validated.
  LanguageTask(const LmSettings& settings, const ByteSplit& train, const ByteSplit& valid = {});

  Gpt& model() { return model_; }

  Objective& objective() override { return objective_; }
  const TrainSettings& training() const override { return settings_; }
  const Score& score() const override { return score_; }
  long context() const override { return settings_.context; }
  std::string unit() const override { return "bytes"; }
  Batch draw(const BatchPart& part) override;
  std::string nothing_to_predict(long context) const override;
  double training_score(double loss, const std::map<std::string, double>& metrics) const override;
  double validate(const Phase& phase) override;
  bool streams() const override { return settings_.streams; }
  Json settings() const override { return to_json(settings_); }
  Json known_settings(const Json& given, const std::string& from) const override;
  std::string fingerprint() const override { return fingerprint_; }
  void write_samples(const RunFolder& folder, long step) override;

 private:
  LmSettings settings_;
  ByteSplit train_, valid_;
  std::string fingerprint_ = {};
  Score score_ = {};
  Gpt model_;
  NextToken objective_{model_};
};

Batch batch_of(const ByteBatch& bytes);  // the same tensors, for an objective

}  // namespace heed
