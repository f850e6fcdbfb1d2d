// LanguageTask: a language model learns a text, token by token; a token is a byte, or what another vocabulary says. It
// is judged by bits per byte, and writes a sample with every checkpoint.
#pragma once

#include "data/token_data.h"
#include "models/objectives/next_token.h"
#include "tasks/language/lm_settings.h"
#include "train/task.h"

namespace heed {

class LanguageTask : public Task {
 public:
  LanguageTask(const LmSettings& settings, const ByteData& data,
               const std::shared_ptr<const Vocabulary>& vocabulary = byte_vocabulary());  // checks settings and data
  // The same on parts that the caller has. Without validation data it can be trained, and not validated.
  LanguageTask(const LmSettings& settings, const ByteSplit& train, const ByteSplit& valid = {},
               const std::shared_ptr<const Vocabulary>& vocabulary = byte_vocabulary());

  Gpt& model() { return model_; }
  const Vocabulary& vocabulary() const { return train_.vocabulary(); }

  Objective& objective() override { return objective_; }
  const TrainSettings& training() const override { return settings_; }
  const Score& score() const override { return score_; }
  long context() const override { return settings_.context; }
  std::string unit() const override { return vocabulary().units(); }
  Batch draw(const BatchPart& part) override;
  std::string nothing_to_predict(long context) const override;
  double training_score(double loss, const std::map<std::string, double>& metrics) const override;
  double validate(const Phase& phase) override;
  bool streams() const override { return settings_.streams; }
  Json settings() const override { return to_json(settings_); }
  Json known_settings(const Json& given, const std::string& from) const override;
  std::string fingerprint() const override { return fingerprint_; }
  std::map<std::string, std::string> strings() const override;  // the vocabulary, unless it is bytes
  void write_samples(const RunFolder& folder, long step) override;

 private:
  LmSettings settings_;
  TokenSplit train_, valid_;  // of the validation what is looked at with every checkpoint
  std::string fingerprint_ = {};
  Score score_ = {};
  Gpt model_;
  NextToken objective_{model_};
};

Batch batch_of(const TokenBatch& tokens);  // the same tensors, for an objective

}  // namespace heed
