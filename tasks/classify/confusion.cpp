#include "tasks/classify/confusion.h"

#include <algorithm>

#include "nn/finish.h"
#include "system/ceil_div.h"
#include "system/error.h"
#include "system/text.h"
#include "tensor/create.h"
#include "tensor/ops/reduce.h"

namespace heed {
namespace {

constexpr long kLengthUnit = 32;  // few different sizes: the allocator's cache stays small

}  // namespace

Confusion::Confusion(const std::vector<std::string>& names)
    : labels(names), counts(names.size(), std::vector<long>(names.size())) {}

long Confusion::texts() const {
  long sum = 0;
  for (const auto& row : counts)
    for (const long count : row) sum += count;
  return sum;
}

double Confusion::accuracy() const {
  long right = 0;
  for (size_t i = 0; i < counts.size(); i++) right += counts[i][i];
  return texts() ? double(right) / double(texts()) : 0;
}

std::vector<std::string> Confusion::head() const {
  std::vector<std::string> head = {"label"};
  head.insert(head.end(), labels.begin(), labels.end());
  head.push_back("right");
  return head;
}

Confusion::Rows Confusion::rows() const {
  Rows rows;
  for (size_t i = 0; i < labels.size(); i++) {
    long all = 0;
    rows.push_back({labels[i]});
    for (const long count : counts[i]) {
      rows.back().push_back(std::to_string(count));
      all += count;
    }
    rows.back().push_back(all ? format("%.1f%%", 100.0 * double(counts[i][i]) / double(all)) : "-");
  }
  return rows;
}

std::string Confusion::text() const {
  Rows all = rows();
  all.insert(all.begin(), head());
  std::vector<size_t> widths(all[0].size());
  for (const auto& row : all)
    for (size_t i = 0; i < row.size(); i++) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : all) {
    for (size_t i = 0; i < row.size(); i++)
      text += (i ? "  " : "") + std::string(widths[i] - row[i].size(), ' ') + row[i];
    text += "\n";
  }
  return text;
}

Json Confusion::json() const {
  Json names = Json::array(), table = Json::array();
  for (const std::string& label : labels) names.push_back(label);
  for (const auto& row : counts) {
    Json one = Json::array();
    for (const long count : row) one.push_back(count);
    table.push_back(one);
  }
  return Json::Object{{"labels", names}, {"counts", table}, {"accuracy", accuracy()}};
}

Confusion Confusion::from_json(const Json& json) {
  std::vector<std::string> names;
  for (const Json& label : json.at("labels").items()) names.push_back(label.text());
  Confusion result(names);
  const auto fits = [&](const Json& list) { return list.items().size() == names.size(); };
  HEED_CHECK(fits(json.at("counts")), "confusion", "there are ", names.size(), " labels, and another number of rows");
  for (size_t i = 0; i < names.size(); i++) {
    const Json& row = json.at("counts").items()[i];
    HEED_CHECK(fits(row), "confusion", "there are ", names.size(), " labels, and row ", i, " has ", row.items().size());
    for (size_t j = 0; j < names.size(); j++) result.counts[i][j] = row.items()[j].integer();
  }
  return result;
}

Batch batch_of(const std::vector<const LabelledExample*>& examples, long context) {
  const long B = long(examples.size());
  std::vector<int64_t> lengths, targets;
  for (const LabelledExample* example : examples) {
    lengths.push_back(std::min(long(example->text.size()), context));
    targets.push_back(example->label);
  }
  const long longest = B ? *std::max_element(lengths.begin(), lengths.end()) : 0;
  const long T = std::min(context, ceil_div(longest, kLengthUnit) * kLengthUnit);
  std::vector<int64_t> ids(size_t(B * T));
  for (size_t row = 0; row < examples.size(); row++)
    for (long t = 0; t < lengths[row]; t++) ids[row * size_t(T) + size_t(t)] = uint8_t(examples[row]->text[size_t(t)]);
  return {.inputs = from_vector(ids, {B, T}),
          .targets = from_vector(targets, {B}),
          .segments = {},
          .lengths = from_vector(lengths, {B}),
          .counted = B};
}

Confusion confusion_of(Classifier& model, const LabelledExamples& examples, const std::vector<std::string>& labels,
                       const ClassifyEvaluation& o) {
  const NoGrad no_grad;
  std::vector<const LabelledExample*> order;
  for (const LabelledExample& example : examples) order.push_back(&example);
  std::stable_sort(order.begin(), order.end(),  // similar lengths together: less padding
                   [](const auto* a, const auto* b) { return a->text.size() > b->text.size(); });
  Confusion result(labels);
  for (size_t begin = 0; begin < order.size(); begin += size_t(o.batch)) {
    const size_t end = std::min(order.size(), begin + size_t(o.batch));
    const std::vector<const LabelledExample*> part(order.begin() + long(begin), order.begin() + long(end));
    const Batch batch = batch_of(part, o.context);
    Context ctx;
    ctx.window_scale = o.windows;
    const Tensor logits = model.forward(batch.inputs, batch.lengths, ctx).value();
    const std::vector<int64_t> given = argmax(logits, {1}).to_vector<int64_t>();
    for (size_t i = 0; i < part.size(); i++) result.counts[size_t(part[i]->label)][size_t(given[i])]++;
    if (o.progress) o.progress(long(end), long(order.size()));
  }
  finish_device_of(model);
  return result;
}

}  // namespace heed
