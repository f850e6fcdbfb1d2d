#include "tasks/classify/classify_task.h"

#include <algorithm>
#include <filesystem>

#include "data/listops.h"
#include "show/page.h"
#include "system/error.h"
#include "system/file_bytes.h"
#include "system/text.h"
#include "system/write_file.h"
#include "tensor/random.h"
#include "train/run_folder.h"

namespace heed {
namespace {

constexpr const char* kConfusionFile = "confusion.json";
constexpr long kBuckets = 16, kBatchesPerBucket = 8;  // at most; at least

const ClassifySettings& checked(const ClassifySettings& s) {
  check_settings(s);
  return s;
}

LabelledExamples first_of(const LabelledExamples& examples, long count) {
  return {examples.begin(), examples.begin() + std::min(count, long(examples.size()))};
}

// Number `sample` of a step as one of n.
long drawn(const RandomKey& key, uint32_t sample, uint32_t use, long n) {
  const Philox4 draw = philox({key.site, sample, use, 0}, key.key());
  const uint64_t wide = uint64_t(draw[0]) << 32 | draw[1];
  return long((unsigned __int128)(wide)*uint64_t(n) >> 64);
}

}  // namespace

const Score& classify_score() {
  static const Score score{.name = "accuracy", .unit = "accuracy", .less_is_better = false};
  return score;
}

ClassifyTask::ClassifyTask(const ClassifySettings& settings, const LabelledText& data)
    : settings_(checked(settings)),
      data_(data),
      valid_(first_of(data.valid, settings.valid_samples)),
      score_(classify_score()),
      last_(data.labels),
      model_(model_options(settings, long(data.labels.size()))) {
  for (const LabelledExample& example : data.train) by_length_.push_back(&example);
  std::stable_sort(by_length_.begin(), by_length_.end(),
                   [](const auto* a, const auto* b) { return a->text.size() < b->text.size(); });
}

Batch ClassifyTask::draw(const BatchPart& part) {
  const RandomKey key{.seed = part.seed, .step = part.step, .site = site_hash("classify")};
  const long n = long(by_length_.size());
  const long buckets = std::clamp(n / (kBatchesPerBucket * settings_.batch), 1L, kBuckets);
  const long bucket = drawn(key, 0, 1, n) * buckets / n;  // with the share of its texts
  const long begin = (bucket * n + buckets - 1) / buckets, end = ((bucket + 1) * n + buckets - 1) / buckets;
  std::vector<const LabelledExample*> chosen;
  for (long i = 0; i < part.rows; i++)
    chosen.push_back(by_length_[size_t(begin + drawn(key, uint32_t(part.first + i), 0, end - begin))]);
  return batch_of(chosen, part.context);
}

double ClassifyTask::training_score(double, const std::map<std::string, double>& metrics) const {
  return metrics.at("accuracy");
}

double ClassifyTask::validate(const Phase& phase) {
  last_ = confusion_of(
      model_, valid_, data_.labels,
      {.batch = settings_.batch, .context = phase.context_of(settings_.context), .windows = phase.windows});
  return last_.accuracy();
}

double ClassifyTask::majority_accuracy() const {
  return share_of_label(valid_, majority_label(data_.train, long(data_.labels.size())));
}

std::vector<std::string> ClassifyTask::notes() const {
  std::vector<std::string> notes = data_.notes;
  const LabelledExamples all = data_.all();
  const long cut =
      std::count_if(all.begin(), all.end(), [&](const auto& e) { return long(e.text.size()) > settings_.context; });
  if (cut)
    notes.push_back(std::to_string(cut) + " of " + std::to_string(all.size()) +
                    " texts are longer than the context of " + std::to_string(settings_.context) +
                    " bytes: what is behind is not read");
  const long majority = majority_label(data_.train, long(data_.labels.size()));
  notes.push_back("always saying '" + data_.labels[size_t(majority)] +
                  format("', the most frequent label: accuracy %.4f", majority_accuracy()));
  return notes;
}

Json ClassifyTask::known_settings(const Json& given, const std::string& from) const {
  return to_json(classify_settings_from_json(given, from));
}

std::map<std::string, std::string> ClassifyTask::strings() const {
  return {{kLabelStrings, labels_text(data_.labels)}};
}

void ClassifyTask::write_samples(const RunFolder& folder, long step) {
  Json json = last_.json();
  json["step"] = step;
  json["majority"] = majority_accuracy();
  write_file(folder.file(kConfusionFile), json.dump(2) + "\n");
}

void ClassifyTask::add_to_page(Page& page, const RunFolder& folder) const {
  if (std::error_code none; !std::filesystem::exists(folder.file(kConfusionFile), none)) return;
  const Json json = Json::parse(FileBytes("classify", folder.file(kConfusionFile)).bytes(), kConfusionFile);
  const Confusion confusion = Confusion::from_json(json);
  page.section("What is taken for what");
  page.paragraph("Step " + json.at("step").dump() + ", " + std::to_string(confusion.texts()) +
                 " texts of the validation data: a row for each label, a column for what it was given. " +
                 format("Always saying the most frequent label has accuracy %.4f.", json.at("majority").number()));
  page.table(confusion.rows(), confusion.head());
}

std::string labels_text(const std::vector<std::string>& labels) {
  Json list = Json::array();
  for (const std::string& label : labels) list.push_back(label);
  return list.dump();
}

std::vector<std::string> labels_from_text(const std::string& text, const std::string& from) {
  const Json list = Json::parse(text, "the labels of " + from);
  std::vector<std::string> labels;
  for (const Json& label : list.items()) labels.push_back(label.text());
  return labels;
}

LabelledText open_labelled(const std::string& data, long context, const std::vector<std::string>& labels) {
  if (data == "listops" || data.starts_with("listops:")) {
    const LabelledText made = listops(listops_options(data, {.longest = context}));
    HEED_CHECK(labels.empty() || labels == made.labels, "classify", data, " has the labels ", joined(made.labels, ", "),
               ", and the model ", joined(labels, ", "));
    return made;
  }
  return LabelledText::of(read_labelled_rows(data), data, labels);
}

}  // namespace heed
